import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MODEL_FILES, readModelFile } from '#server/engine/recognizer/model-files.ts';
import { exposeBranchTensors } from '#server/engine/recognizer/onnx-patch.ts';
import { forcedRuntime, loadRuntime } from '#server/engine/recognizer/ort.ts';
import type { Runtime } from '#server/engine/recognizer/ort.ts';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { clip } from '#test/audio/clips.ts';
import { transcribeWhole } from '#test/audio/drive.ts';
import { loadModels } from '#test/audio/models.ts';
import { wordErrorRate } from '#test/audio/wer.ts';

// Recognition is heavy: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 400_000 });

let runtime: Runtime;
let recognizer: Recognizer;
let vad: Vad;

beforeAll(async () => {
  runtime = await loadRuntime();
  ({ recognizer, vad } = await loadModels());
});

const text = (pieces: readonly { text: string }[]): string => pieces.map((piece) => piece.text).join('');

describe('model files', () => {
  it('are refused when they are not the ones that were measured', async () => {
    await expect(
      readModelFile({ ...MODEL_FILES.vad, sha256: createHash('sha256').digest('hex') }),
    ).rejects.toMatchObject({ code: 'model_missing' });
    await expect(readModelFile({ path: 'no-such-package/model.onnx', sha256: '' })).rejects.toMatchObject({
      code: 'model_missing',
    });
  });

  it('can be made to show inner tensors without changing what is there', async () => {
    const plain = await readModelFile(MODEL_FILES.decoder);
    const patched = exposeBranchTensors(
      plain,
      new Map([['/model/decoder/layers.3/encoder_attn/Softmax_output_0', 'seen']]),
    );
    expect(patched.length - plain.length).toBeLessThan(1000);
    const [before, after] = await Promise.all([runtime.createSession(plain), runtime.createSession(patched)]);
    expect(after.outputNames).toEqual([...before.outputNames, 'seen']);
    expect(after.inputNames).toEqual(before.inputNames);
  });

  it('of another shape are refused by the patch', async () => {
    expect(() => exposeBranchTensors(Uint8Array.of(0x3a, 0x02, 0x0a, 0x00), new Map([['a', 'b']]))).toThrow('If node');
    expect(() => exposeBranchTensors(Uint8Array.of(0x3a, 0x7f), new Map([['a', 'b']]))).toThrow('ends inside');
  });
});

describe('runtime', () => {
  it('can be forced by the environment, by known names only', () => {
    expect(forcedRuntime({ PARLANCE_RUNTIME: 'wasm' })).toBe('wasm');
    expect(forcedRuntime({ PARLANCE_RUNTIME: 'cuda' })).toBeUndefined();
    expect(forcedRuntime({})).toBeUndefined();
  });
});

describe('recognition', () => {
  it('gives words, confidences and times within the audio', async () => {
    const { samples, seconds } = clip('short.wav');
    const pieces = await recognizer.recognize(samples);
    expect(text(pieces)).toBe(' My brother bought a new car last summer and drove it across the country.');
    for (const piece of pieces) {
      expect(piece.confidence).toBeGreaterThan(0.5);
      expect(piece.confidence).toBeLessThanOrEqual(1);
      expect(piece.endMs).toBeGreaterThan(piece.startMs);
      expect(piece.endMs).toBeLessThanOrEqual(seconds * 1000);
    }
  });

  it('says the same of the same audio, whatever it has heard in between', async () => {
    const { samples } = clip('short.wav');
    const once = await recognizer.recognize(samples);
    await recognizer.recognize(clip('two-sentences.wav').samples.slice(0, 48_000), {
      prefix: once.slice(0, 2).flatMap(({ ids }) => ids),
    });
    expect(await recognizer.recognize(samples)).toEqual(once);
  });

  it('goes on from the words it is made to begin with', async () => {
    const { samples } = clip('short.wav');
    const whole = await recognizer.recognize(samples);
    const prefix = whole.slice(0, 5).flatMap(({ ids }) => ids);
    const continued = await recognizer.recognize(samples, { prefix });
    expect(text(continued)).toBe(text(whole));
    const contrary = await recognizer.recognize(samples, { prefix: whole.slice(3, 5).flatMap(({ ids }) => ids) });
    expect(text(contrary).startsWith(text(whole.slice(3, 5)))).toBe(true);
  });

  it('REC-08 says the same whatever it was expected to say, in one pass as far as that is right', async () => {
    const { samples } = clip('short.wav');
    const whole = await recognizer.recognize(samples);
    const ids = whole.flatMap((piece) => piece.ids);
    const wrong = [...ids.slice(0, 6), ids[1] ?? 0, ...ids.slice(7)];
    const drafts = [ids, ids.slice(0, 9), [...ids, ids[1] ?? 0, ids[2] ?? 0], wrong, ids.slice(3)];
    for (const [index, draft] of drafts.entries()) {
      let steps = 0;
      const onStep = () => {
        steps += 1;
        return Promise.resolve();
      };
      const pieces = await recognizer.recognize(samples, { draft, onStep });
      expect(text(pieces)).toBe(text(whole));
      expect(steps).toBe([0, ids.length - 9, 0, ids.length - 6, ids.length][index]);
      for (const [at, { startMs, endMs, confidence }] of pieces.entries()) {
        expect(Math.abs(startMs - (whole[at]?.startMs ?? NaN))).toBeLessThanOrEqual(100);
        expect(Math.abs(endMs - (whole[at]?.endMs ?? NaN))).toBeLessThanOrEqual(100);
        expect(Math.abs(confidence - (whole[at]?.confidence ?? NaN))).toBeLessThanOrEqual(0.1);
      }
    }
    // After certain words likewise.
    const certain = { prefix: ids.slice(0, 4), draft: ids.slice(4) };
    expect(text(await recognizer.recognize(samples, certain))).toBe(text(whole));
  });

  it('survives audio shorter than the model takes, and silence', async () => {
    await expect(recognizer.recognize(new Float32Array(10))).resolves.toBeInstanceOf(Array);
    expect(text(await recognizer.recognize(new Float32Array(16_000)))).toBe('');
  });
});

describe('whole recordings', () => {
  it.each(['meeting-notes.wav', 'weather-report.wav', 'short.wav', 'two-sentences.wav'])(
    '%s is transcribed with at most 3 percent wrong words',
    async (name) => {
      const { samples, text: spoken } = clip(name);
      const tokens = await transcribeWhole(recognizer, vad, samples, { languageIdentification: true });
      const heard = text(tokens);
      expect(wordErrorRate(spoken, heard)).toBeLessThanOrEqual(0.03);
      expect(heard).toBe(heard.trimStart());
      expect(new Set(tokens.map(({ language }) => language))).toEqual(new Set(['en']));
    },
  );
});
