import type { Tensor } from 'onnxruntime-web';
import { SAMPLE_RATE } from '../port.ts';
import { MODEL_FILES, readModelFile } from './model-files.ts';
import { exposeBranchTensors } from './onnx-patch.ts';
import type { Runtime, Session } from './ort.ts';

/** Audio samples per encoder frame: 24 ms. */
export const FRAME_SAMPLES = 384;

const HEADS = 8;
const HEAD_SIZE = 36;
const VOCABULARY = 32_768;
const BEGIN = 1;
const END = 2;
/** The encoder's first convolutions need about 900 samples. */
const MIN_SAMPLES = 1600;
/** Speech stays well below this rate; more tokens mean that the decoder loops. */
const TOKENS_PER_SECOND = 6.5;

/**
 * Scores this far below the best one are ignored: even all together, they do not change the probability's third
 * decimal.
 */
const NEGLIGIBLE = 20;

/** Cross-attention heads that follow the audio most closely, as [layer, head]; the others blur the alignment. */
const ALIGNMENT_HEADS = [
  [4, 7],
  [5, 6],
  [5, 3],
  [3, 5],
  [5, 7],
  [5, 4],
] as const;
const ALIGNMENT_LAYERS = [...new Set(ALIGNMENT_HEADS.map(([layer]) => layer))];

export interface Decoded {
  /** Token ids without begin and end marks; a forced prefix comes first. */
  ids: number[];
  /** Softmax probability of each id; 1 for the forced ones. */
  probabilities: number[];
  /** [token, alignment head, encoder frame]: attention weights of each token, and of the end mark if it came. */
  attention: Float32Array[][];
  frames: number;
}

export interface DecodeOptions {
  /** Ids that the transcript is forced to start with: the tokens that are final already. */
  prefix?: readonly number[];
  /** Ids that likely follow, from decoding less audio. One pass verifies them all (speculative decoding). */
  draft?: readonly number[];
  /** Awaited between two decoder steps, so that more urgent work can go first. */
  onStep?: () => Promise<void>;
}

type Tensors = Record<string, Tensor>;

/**
 * Moonshine Tiny, an encoder-decoder recognizer for English. Runs one call at a time, because the work is CPU-bound.
 */
export class Moonshine {
  readonly #runtime: Runtime;
  readonly #encoder: Session;
  readonly #decoder: Session;
  /** Outputs of all passes but the first, which alone computes the encoder's keys and values. */
  readonly #laterOutputs: readonly string[];
  readonly #noStates: Tensor;

  private constructor(runtime: Runtime, encoder: Session, decoder: Session) {
    this.#runtime = runtime;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#laterOutputs = decoder.outputNames.filter((name) => !name.includes('.encoder.'));
    this.#noStates = new runtime.Tensor('float32', new Float32Array(HEADS * HEAD_SIZE), [1, 1, HEADS * HEAD_SIZE]);
  }

  /** @throws EngineError 'model_missing' */
  static async load(runtime: Runtime): Promise<Moonshine> {
    const [encoder, decoder] = await Promise.all([
      readModelFile(MODEL_FILES.encoder),
      readModelFile(MODEL_FILES.decoder),
    ]);
    const patched = exposeBranchTensors(
      decoder,
      new Map(
        ALIGNMENT_LAYERS.map((layer) => [
          `/model/decoder/layers.${layer}/encoder_attn/Softmax_output_0`,
          attentionName(layer),
        ]),
      ),
    );
    return new Moonshine(runtime, await runtime.createSession(encoder), await runtime.createSession(patched));
  }

  /** Decodes up to about 20 s of 16 kHz audio greedily. Cut longer audio first: the decoder would loop. */
  async decode(samples: Float32Array, options: DecodeOptions = {}): Promise<Decoded> {
    const { Tensor } = this.#runtime;
    const { prefix = [], draft = [] } = options;
    const states = await this.#encode(samples);
    const frames = states.dims[1] ?? 0;
    const limit = Math.max(prefix.length + 2, Math.ceil((samples.length / SAMPLE_RATE) * TOKENS_PER_SECOND) + 4);
    const result: Decoded = { ids: [...prefix], probabilities: prefix.map(() => 1), attention: [], frames };

    let cache = this.#emptyCache();
    let input = [BEGIN, ...prefix, ...draft];
    for (let first = true; ; first = false) {
      const output = await this.#decoder.run(
        {
          ...cache,
          input_ids: new Tensor('int64', BigInt64Array.from(input, BigInt), [1, input.length]),
          // Later passes have the encoder's states in the cache.
          encoder_hidden_states: first ? states : this.#noStates,
          use_cache_branch: new Tensor('bool', [!first], [1]),
        },
        first ? this.#decoder.outputNames : this.#laterOutputs,
      );
      const logits = floats(output['logits']);
      // Accept the draft's ids as long as this pass predicts them itself.
      let row = first ? prefix.length : 0;
      let { id, probability } = best(logits, row);
      while (id !== END && row + 1 < input.length && id === input[row + 1]) {
        result.ids.push(id);
        result.probabilities.push(probability);
        row += 1;
        ({ id, probability } = best(logits, row));
      }
      collectAttention(output, { rows: row + 1, of: input.length, frames }, result.attention);
      if (id === END) return result;
      result.ids.push(id);
      result.probabilities.push(probability);
      if (result.ids.length >= limit) return result;
      cache = this.#nextCache(cache, output, { first, kept: row + 1, of: input.length });
      input = [id];
      await options.onStep?.();
    }
  }

  async #encode(samples: Float32Array): Promise<Tensor> {
    let audio = samples;
    if (samples.length < MIN_SAMPLES) {
      audio = new Float32Array(MIN_SAMPLES);
      audio.set(samples);
    }
    const output = await this.#encoder.run({
      input_values: new this.#runtime.Tensor('float32', audio, [1, audio.length]),
    });
    return tensor(output, 'last_hidden_state');
  }

  /**
   * The next pass's cache: the encoder's keys and values from the first pass, the decoder's for the first `kept` of
   * `of` ids.
   */
  #nextCache(cache: Tensors, output: Tensors, pass: { first: boolean; kept: number; of: number }): Tensors {
    return Object.fromEntries(
      Object.keys(cache).map((name) => {
        const ofEncoder = name.includes('.encoder.');
        const known = ofEncoder && !pass.first ? cache[name] : undefined;
        const present = known ?? tensor(output, name.replace('past_key_values', 'present'));
        return [name, ofEncoder || pass.kept === pass.of ? present : this.#shortened(present, pass.of - pass.kept)];
      }),
    );
  }

  /** Keys or values [1, heads, length, size] without the last `by` positions. */
  #shortened(cache: Tensor, by: number): Tensor {
    const length = cache.dims[2] ?? 0;
    const kept = length - by;
    const values = floats(cache);
    const short = new Float32Array(HEADS * kept * HEAD_SIZE);
    for (let head = 0; head < HEADS; head += 1) {
      const from = head * length * HEAD_SIZE;
      short.set(values.subarray(from, from + kept * HEAD_SIZE), head * kept * HEAD_SIZE);
    }
    return new this.#runtime.Tensor('float32', short, [1, HEADS, kept, HEAD_SIZE]);
  }

  #emptyCache(): Tensors {
    const names = this.#decoder.inputNames.filter((name) => name.startsWith('past_key_values.'));
    return Object.fromEntries(
      names.map((name) => [name, new this.#runtime.Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE])]),
    );
  }
}

const attentionName = (layer: number): string => `cross_attention.${layer}`;

function tensor(output: Tensors, name: string): Tensor {
  const value = output[name];
  if (value === undefined) throw new Error(`The speech model has no output ${name}.`);
  return value;
}

function floats(value: Tensor | undefined): Float32Array {
  if (!(value?.data instanceof Float32Array)) throw new Error('The speech model answered with an unexpected type.');
  return value.data;
}

function best(logits: Float32Array, row: number): { id: number; probability: number } {
  const scores = logits.subarray(row * VOCABULARY, (row + 1) * VOCABULARY);
  let id = 0;
  let top = -Infinity;
  for (let candidate = 0; candidate < scores.length; candidate += 1) {
    const score = scores[candidate] ?? -Infinity;
    if (score > top) {
      top = score;
      id = candidate;
    }
  }
  const least = top - NEGLIGIBLE;
  let sum = 0;
  for (let candidate = 0; candidate < scores.length; candidate += 1) {
    const score = scores[candidate] ?? -Infinity;
    if (score > least) sum += Math.exp(score - top);
  }
  return { id, probability: 1 / sum };
}

/** Appends the first `rows` rows of the attention outputs [1, heads, of, frames] to `into`. */
function collectAttention(
  output: Tensors,
  { rows, of, frames }: { rows: number; of: number; frames: number },
  into: Float32Array[][],
): void {
  const layers = new Map(ALIGNMENT_LAYERS.map((layer) => [layer, floats(output[attentionName(layer)])]));
  for (let row = 0; row < rows; row += 1) {
    into.push(
      ALIGNMENT_HEADS.map(([layer, head]) => {
        const start = (head * of + row) * frames;
        return (layers.get(layer) ?? new Float32Array(0)).slice(start, start + frames);
      }),
    );
  }
}
