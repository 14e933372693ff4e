/** The models, loaded once in a process: loading takes seconds, and files that hear recordings share a process. */
import { createHash } from 'node:crypto';
import { loadRuntime, type RuntimeName } from '#server/engine/recognizer/ort.ts';
import { loadRecognizer, type Piece, type Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { loadVad, type Vad } from '#server/engine/recognizer/vad.ts';

export interface Models {
  recognizer: Recognizer;
  vad: Vad;
}

const loaded = new Map<RuntimeName | undefined, Promise<Models>>();

/** @param forced the runtime; by default the one that the server would pick here */
export function loadModels(forced?: RuntimeName): Promise<Models> {
  const known = loaded.get(forced);
  if (known !== undefined) return known;
  const loading = load(forced);
  loaded.set(forced, loading);
  return loading;
}

async function load(forced: RuntimeName | undefined): Promise<Models> {
  const runtime = await loadRuntime(forced);
  const [recognizer, vad] = await Promise.all([loadRecognizer(runtime), loadVad(runtime)]);
  return { recognizer, vad };
}

let remembering: Promise<Models> | undefined;

/**
 * The same for tests of what is made of recognized words: the recognizer hears the same audio, with the same words before it, only once.
 * It has no memory of its own (see recognizer.whole.test.ts), so that it would say the same again.
 */
export function loadRememberingModels(): Promise<Models> {
  return (remembering ??= loadModels().then(({ recognizer, vad }) => ({ recognizer: remember(recognizer), vad })));
}

function remember(recognizer: Recognizer): Recognizer {
  const heard = new Map<string, Promise<Piece[]>>();
  return {
    async recognize(samples, options = {}) {
      const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
      const key = `${createHash('sha1').update(bytes).digest('base64')} ${options.prefix?.join(' ') ?? ''}`;
      const known = heard.get(key) ?? recognizer.recognize(samples, options);
      heard.set(key, known);
      return structuredClone(await known);
    },
  };
}
