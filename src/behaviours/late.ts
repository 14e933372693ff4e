/**
 * All code that comes after the page: screens, charts of the console, what draws plots. Where a file can't be had, the page
 * waits for it; the chart `parts` decides when it is tried again, and says so.
 */
import type { Found } from '#machines/root/parts/actors.ts';
import { createSignal } from '../effects/browser/signal.ts';
import { atRest } from './atRest.ts';

/** What tells of the page and of its server. */
export type Surroundings = {
  isOnline: () => boolean;
  /** Whether the server says of one of these addresses that there is nothing. */
  isGone: (urls: readonly string[]) => Promise<boolean>;
  /** Of the file that the page began with: it goes when another build takes the place of this one. */
  entry: () => readonly string[];
};

const NOT_FOUND = 404;

const page: Surroundings = {
  isOnline: () => navigator.onLine,
  isGone: async (urls) => {
    const answers = await Promise.allSettled(urls.map((url) => fetch(url, { method: 'HEAD', cache: 'no-store' })));
    // No answer tells nothing of the file.
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value.status === NOT_FOUND);
  },
  entry: () => [...document.querySelectorAll<HTMLScriptElement>('script[type=module][src]')].map(({ src }) => src),
};

/** What browsers say of a file that could not be fetched; anything else is wrong with the code itself. */
const UNFETCHED = /dynamically imported module|Importing a module script failed/;

const isUnfetched = (error: unknown): boolean => UNFETCHED.test(String(error));

/** Chromium and Firefox name the file. */
const namedIn = (error: unknown): readonly string[] => /https?:\S+/.exec(String(error)) ?? [];

type Load<Code> = () => Promise<Code>;

export function createLateCode({ isOnline, isGone, entry } = page) {
  /** Tries once more each. @throws where it can't be had still */
  const missing = new Set<() => Promise<void>>();
  const missed = createSignal();

  const wait = <Code>(load: Load<Code>) =>
    new Promise<Code>((come) => {
      missing.add(() =>
        load().then(come, (error: unknown) => {
          if (isUnfetched(error)) throw error;
          come(Promise.reject(error));
        }),
      );
      missed.notify();
    });

  return {
    /** Resolves when the code is there, however long that takes. @throws what the code itself throws */
    async fetch<Code>(load: Load<Code>): Promise<Code> {
      if (!isOnline()) return wait(load);
      try {
        return await load();
      } catch (error) {
        if (isUnfetched(error)) return wait(load);
        throw error;
      }
    },
    /** The same for who can't wait: it is fetched for the next time. @throws where it isn't there at once, too */
    async fetchNow<Code>(load: Load<Code>): Promise<Code> {
      try {
        return await load();
      } catch (error) {
        if (isUnfetched(error)) void wait(load);
        throw error;
      }
    },
    /** Tries what is missing once more. */
    async fetchMissing(): Promise<Found> {
      if (!isOnline()) return 'missing';
      let last: unknown;
      for (const again of [...missing]) {
        try {
          await again();
          missing.delete(again);
        } catch (error) {
          last = error;
        }
      }
      if (missing.size === 0) return 'whole';
      return (await isGone([...namedIn(last), ...entry()])) ? 'outdated' : 'missing';
    },
    /** Calls back when something is missing, at once where it is already; returns the undo. */
    listen(listener: () => void): () => void {
      if (missing.size > 0) listener();
      return missed.listen(listener);
    },
  };
}

/** That of this page. */
export const lateCode = createLateCode();

/** Loads when it is first asked for, and gives everyone the same promise, as React's `use` needs it. */
export function once<Code>(load: Load<Code>): Load<Code> {
  let loaded: Promise<Code> | undefined;
  return () => (loaded ??= load());
}

/** Code that the first screen does without, fetched once that has been drawn. */
export async function later<Code>(load: Load<Code>): Promise<Code> {
  await atRest();
  return lateCode.fetch(load);
}
