import { installedPairs, type LanguagePair } from './modes.ts';
import { Pipeline } from './pipeline.ts';
import { withTerms, type Term } from './terms.ts';

/** Translates text. Behind it: anything that does so sentence by sentence. */
export interface Translator {
  pairs(): readonly LanguagePair[];
  /**
   * Translates one sentence, or a piece that is short like one.
   * @param terms how certain words are to be translated, where they occur
   * @throws EngineError 'overloaded' | 'worker_crashed' | 'aborted'
   */
  translate(text: string, pair: LanguagePair, terms?: readonly Term[]): Promise<string>;
  close(): Promise<void>;
}

export interface ApertiumOptions {
  /** The folder that holds `modes/`. */
  home: string;
  /** Where programs are looked for, as in `PATH`. */
  path: string;
  timeoutMs?: number;
  queueMax?: number;
  log?: { warn(details: object, message: string): void };
}

/** A start from cold takes a tenth of a second, a sentence some milliseconds. */
const TIMEOUT_MS = 5000;
const QUEUE_MAX = 200;

/** Apertium as it is installed on this machine, in processes of its own, one per pair in use; undefined when it has no pair. */
export function findApertium(options: ApertiumOptions): Translator | undefined {
  const installed = installedPairs(options.home, options.path);
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

/** One line without control characters: they would end the text early. */
// eslint-disable-next-line no-control-regex
const tidy = (text: string): string => text.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();
