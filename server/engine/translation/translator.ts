import { installedPairs, type LanguagePair } from './modes.ts';
import { Pipeline } from './pipeline.ts';
import { withTerms, type Term } from './terms.ts';

/** Translates text sentence by sentence. */
export interface Translator {
  pairs(): readonly LanguagePair[];
  /**
   * Translates one sentence, or another short text.
   * @param terms translations to use for certain words
   * @throws EngineError 'overloaded' | 'worker_crashed' | 'aborted'
   */
  translate(text: string, pair: LanguagePair, terms?: readonly Term[]): Promise<string>;
  close(): Promise<void>;
}

export interface ApertiumOptions {
  /** The folder that holds `modes/`. */
  home: string;
  /** Folders of programs, as in `PATH`. */
  path: string;
  timeoutMs?: number;
  queueMax?: number;
  log?: { warn(details: object, message: string): void };
}

/** Starting takes a tenth of a second, a sentence a few milliseconds. */
const TIMEOUT_MS = 5000;
const QUEUE_MAX = 200;

/** Opens this machine's Apertium, with one process for each pair in use; undefined if it has no pair. */
export function findApertium(options: ApertiumOptions): Translator | undefined {
  const installed = pairsOf(options);
  if (installed.length === 0) return undefined;
  const running = new Map<string, Pipeline>();
  const pipelineOf = ({ from, to }: LanguagePair): Pipeline => {
    const pair = installed.find((one) => one.from === from && one.to === to);
    if (pair === undefined) throw new Error(`No translation from ${from} to ${to}.`);
    const known = running.get(pair.pipeline);
    if (known !== undefined) return known;
    const pipeline = new Pipeline({
      command: pair.pipeline,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      queueMax: options.queueMax ?? QUEUE_MAX,
      lost: (reason) => options.log?.warn({ from, to, reason }, 'translator lost'),
    });
    running.set(pair.pipeline, pipeline);
    return pipeline;
  };
  return {
    pairs: () => installed.map(({ from, to }) => ({ from, to })),
    async translate(text, pair, terms = []) {
      const pipeline = pipelineOf(pair);
      return withTerms(tidy(text), terms, (sentence) => pipeline.translate(sentence));
    },
    async close() {
      await Promise.all([...running.values()].map((pipeline) => pipeline.close()));
    },
  };
}

function pairsOf({ home, path, log }: ApertiumOptions): ReturnType<typeof installedPairs> {
  try {
    return installedPairs(home, path);
  } catch (error) {
    log?.warn({ err: error }, 'the translator could not be read: nothing is translated');
    return [];
  }
}

/** Makes one line without control characters: these would end the text early. */
// eslint-disable-next-line no-control-regex
const tidy = (text: string): string => text.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();
