import { atRest } from './atRest.ts';

/** Between two looks whether the server is there again, milliseconds. */
const LOOK_AGAIN_MS = 2000;

/** What tells of the page and of its server. */
export type Surroundings = {
  atRest: () => Promise<void>;
  /** Whether the server answers, whatever it says. */
  answers: () => Promise<boolean>;
  pause: (ms: number) => Promise<void>;
};

const page: Surroundings = {
  atRest,
  answers: () =>
    fetch(location.origin, { method: 'HEAD', cache: 'no-store' }).then(
      () => true,
      () => false,
    ),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Code that the first screen does without, fetched once that has been drawn. Where the server has gone away meanwhile, the
 * screen goes on without it, and it is fetched when the server is back. @throws what keeps a server that answers from having it
 */
export async function later<T>(load: () => Promise<T>, { atRest: rest, answers, pause } = page): Promise<T> {
  await rest();
  try {
    return await load();
  } catch {
    while (!(await answers())) await pause(LOOK_AGAIN_MS);
    return load();
  }
}
