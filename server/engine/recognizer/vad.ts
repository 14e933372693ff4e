import { SAMPLE_RATE } from '../port.ts';
import type { Tensor } from 'onnxruntime-web';
import { MODEL_FILES, readModelFile } from './model-files.ts';
import type { Runtime, Session } from './ort.ts';

/** Samples per decision: 32 ms at 16 kHz. */
export const VAD_FRAME = 512;
export const VAD_FRAME_MS = (VAD_FRAME * 1000) / SAMPLE_RATE;
/** Speech begins at a probability of at least ON, and lasts until it falls below OFF. */
export const SPEECH_ON = 0.5;
export const SPEECH_OFF = 0.35;

/** Samples from the end of the previous frame, put before each frame; without them recall drops by a tenth. */
const CONTEXT = 64;

/** Returns the speech probability of consecutive frames of 512 samples. */
export interface SpeechDetector {
  probability(frame: Float32Array): Promise<number>;
}

export interface Vad {
  /** A detector with its own state, for one recording or stream. */
  detector(): SpeechDetector;
}

/** Silero VAD v5. @throws EngineError 'model_missing' */
export async function loadVad(runtime: Runtime): Promise<Vad> {
  const session = await runtime.createSession(await readModelFile(MODEL_FILES.vad));
  const rate = new runtime.Tensor('int64', BigInt64Array.of(BigInt(SAMPLE_RATE)), []);
  return { detector: () => new SileroDetector(runtime, session, rate) };
}

class SileroDetector implements SpeechDetector {
  readonly #runtime: Runtime;
  readonly #session: Session;
  readonly #rate: Tensor;
  #state: Tensor;
  #context = new Float32Array(CONTEXT);

  constructor(runtime: Runtime, session: Session, rate: Tensor) {
    this.#runtime = runtime;
    this.#session = session;
    this.#rate = rate;
    this.#state = new runtime.Tensor('float32', new Float32Array(256), [2, 1, 128]);
  }

  async probability(frame: Float32Array): Promise<number> {
    const input = new Float32Array(CONTEXT + VAD_FRAME);
    input.set(this.#context);
    input.set(frame, CONTEXT);
    this.#context = frame.slice(VAD_FRAME - CONTEXT);
    const result = await this.#session.run({
      input: new this.#runtime.Tensor('float32', input, [1, input.length]),
      state: this.#state,
      sr: this.#rate,
    });
    this.#state = result['stateN'] ?? this.#state;
    const value = result['output']?.data[0];
    return typeof value === 'number' ? value : 0;
  }
}
