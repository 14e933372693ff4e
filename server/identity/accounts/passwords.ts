import { hash, verify } from '@node-rs/argon2';

/** argon2id, 19 MiB, 2 passes, 1 lane: about 11 ms a hash, off the main thread. */
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes at once; more would take the cores from live audio. */
const PARALLEL = 2;

let running = 0;
const queue: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= PARALLEL) await new Promise<void>((resolve) => queue.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // The place passes straight to the next in line.
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** One spelling for what looks the same: an é may be typed as one character or as two. */
const spelled = (password: string): string => password.normalize('NFC');

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(spelled(password), OPTIONS));
}

let decoy: Promise<string> | undefined;

/** Compares; without a stored hash (no such account) it takes as long and says no. */
export async function isPasswordRight(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no account has this password');
  const against = stored ?? (await decoy);
  const right =
    (await inTurn(() => verify(against, spelled(password)))) ||
    // Older hashes are of the text as it was sent.
    (spelled(password) !== password && (await inTurn(() => verify(against, password))));
  return right && stored !== undefined;
}
