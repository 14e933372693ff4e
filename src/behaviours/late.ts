/**
 * Code that loads after the page: screens, charts of the console, plots. If a file cannot be fetched, its callers
 * wait; the chart `parts` decides when to try again, and tells the user.
 */
import type { PartsState } from '#machines/root/parts/actors.ts';
import { createSignal } from '../effects/browser/signal.ts';
import { atRest } from './atRest.ts';

/** State of the page and its server. */
export type Surroundings = {
  isOnline: () => boolean;
  /** Whether the server answers 404 for one of these addresses. */
  isGone: (urls: readonly string[]) => Promise<boolean>;
  /** Addresses of the page's first file. It is gone once the server has another build. */
  entry: () => readonly string[];
};

const NOT_FOUND = 404;

const page: Surroundings = {
  isOnline: () => navigator.onLine,
  isGone: async (urls) => {
    const answers = await Promise.allSettled(urls.map((url) => fetch(url, { method: 'HEAD', cache: 'no-store' })));
    // A missing answer says nothing about the file.
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value.status === NOT_FOUND);
  },
  entry: () => [...document.querySelectorAll<HTMLScriptElement>('script[type=module][src]')].map(({ src }) => src),
};

/** Browsers' messages for a file that could not be fetched. Other errors come from the code itself. */
const UNFETCHED = /dynamically imported module|Importing a module script failed/;

const isUnfetched = (error: unknown): boolean => UNFETCHED.test(String(error));

/** The file's address, which Chromium and Firefox name. */
const namedIn = (error: unknown): readonly string[] => /https?:\S+/.exec(String(error)) ?? [];

type Load<Code> = () => Promise<Code>;

export function createLateCode({ isOnline, isGone, entry } = page) {
  /** Retries of the missing files. @throws if the file is still missing */
  const missing = new Set<() => Promise<void>>();
  const missingSignal = createSignal();

  const wait = <Code>(load: Load<Code>) =>
    new Promise<Code>((resolve) => {
      missing.add(() =>
        load().then(resolve, (error: unknown) => {
          if (isUnfetched(error)) throw error;
          resolve(Promise.reject(error));
        }),
      );
      missingSignal.notify();
    });

  return {
    /** Resolves when the code has loaded, however long that takes. @throws errors of the code itself */
    async fetch<Code>(load: Load<Code>): Promise<Code> {
      if (!isOnline()) return wait(load);
      try {
        return await load();
      } catch (error) {
        if (isUnfetched(error)) return wait(load);
        throw error;
      }
    },
    /** For callers that cannot wait: also throws if the file is missing, which is then fetched for the next time. */
    async fetchNow<Code>(load: Load<Code>): Promise<Code> {
      try {
        return await load();
      } catch (error) {
        // Nobody waits for it: an error of the code itself comes again with the next call.
        if (isUnfetched(error)) wait(load).catch(() => undefined);
        throw error;
      }
    },
    /** Retries the missing files. */
    async fetchMissing(): Promise<PartsState> {
      if (!isOnline()) return 'missing';
      let last: unknown;
      for (const retry of [...missing]) {
        try {
          await retry();
          missing.delete(retry);
        } catch (error) {
          last = error;
        }
      }
      if (missing.size === 0) return 'whole';
      return (await isGone([...namedIn(last), ...entry()])) ? 'outdated' : 'missing';
    },
    /** Calls back when a file is missing, at once if one already is; returns the undo. */
    listen(listener: () => void): () => void {
      if (missing.size > 0) listener();
      return missingSignal.listen(listener);
    },
  };
}

/** The late code of this page. */
export const lateCode = createLateCode();

/** Loads at the first call, and always returns the same promise, as React's `use` needs. */
export function once<Code>(load: Load<Code>): Load<Code> {
  let loaded: Promise<Code> | undefined;
  return () => (loaded ??= load());
}

/** Fetches code that the first screen does not need, once the page is idle. */
export async function later<Code>(load: Load<Code>): Promise<Code> {
  await atRest();
  return lateCode.fetch(load);
}
