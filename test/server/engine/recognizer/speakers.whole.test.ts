import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { medianPitch } from '#server/engine/recognizer/speakers.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { clip } from '#test/audio/clips.ts';
import { drive, spoken, transcribeWhole } from '#test/audio/drive.ts';
import { loadRememberingModels } from '#test/audio/models.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 400_000 });

let recognizer: Recognizer;
let vad: Vad;

beforeAll(async () => {
  ({ recognizer, vad } = await loadRememberingModels());
});

/** Speaker and text of the turns, as a reader would see them. */
function turns(tokens: readonly { text: string; speaker?: string | undefined }[]): string[] {
  const found: { speaker: string; text: string }[] = [];
  for (const { text, speaker = '?' } of tokens) {
    const last = found.at(-1);
    if (last?.speaker === speaker) last.text += text;
    else found.push({ speaker, text });
  }
  return found.map(({ speaker, text }) => `${speaker}: ${text.trim().split(' ')[0]?.replace(/\W/g, '') ?? ''}`);
}

const TURNS = ['1: Good', '2: Thank', '1: That', '2: Yes', '1: Wonderful', '2: Good'];

const fileTokens = (name: string) => transcribeWhole(recognizer, vad, clip(name).samples, { diarization: true });

describe('speakers', () => {
  it('of clearly different voices are told apart in a recording', async () => {
    expect(turns(await fileTokens('meeting-notes.wav'))).toEqual(TURNS);
  });

  it('are told apart live, where the first words of a turn have to do', async () => {
    const { pcm } = clip('meeting-notes.wav');
    const results = await drive(
      recognizer,
      vad,
      { sampleRate: 16_000, channels: 1, diarization: true },
      spoken(pcm, 3840),
    );
    expect(turns(results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final)))).toEqual(TURNS);
    expect(results.flatMap(({ tokens }) => tokens).every(({ speaker }) => speaker !== undefined)).toBe(true);
  });

  it('are one where one voice speaks', async () => {
    const labels = (await fileTokens('two-sentences.wav')).map(({ speaker }) => speaker);
    expect(new Set(labels)).toEqual(new Set(['1']));
  });

  it('are known by a pitch that is measured right, and not made up', () => {
    const tone = (hertz: number): Float32Array =>
      new Float32Array(16_000).map(
        (_, index) =>
          Math.sin((2 * Math.PI * hertz * index) / 16_000) + 0.5 * Math.sin((4 * Math.PI * hertz * index) / 16_000),
      );
    for (const hertz of [90, 140, 210, 300])
      expect(Math.abs((medianPitch(tone(hertz))?.semitones ?? 0) - 12 * Math.log2(hertz))).toBeLessThan(1);
    expect(medianPitch(new Float32Array(16_000))).toBeNull();
  });
});
