import { hash, verify } from '@node-rs/argon2';

/** argon2id, 19 MiB, 2 passes, 1 lane: about 11 ms for a hash, off the main thread. */
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** The largest number of hashes at once; more would take the cores from live audio. */
const PARALLEL = 2;

let running = 0;
const queue: (() => void)[] = [];

/** Runs `work` once fewer than {@link PARALLEL} others run. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= PARALLEL) await new Promise<void>((resolve) => queue.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // Hands the place to the next waiter.
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** One spelling of equal texts: é may be typed as one character or as two. */
const normalized = (password: string): string => password.normalize('NFC');

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalized(password), OPTIONS));
}

let decoy: Promise<string> | undefined;

/** Whether a password matches its hash. Without a hash (no such account) takes the same time, and returns false. */
export async function isPasswordRight(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const against = stored ?? (await decoy);
  const right =
    (await inTurn(() => verify(against, normalized(password)))) ||
    // Older hashes are of the text without normalization.
    (normalized(password) !== password && (await inTurn(() => verify(against, password))));
  return right && stored !== undefined;
}
