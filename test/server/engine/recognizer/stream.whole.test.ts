import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { StreamOptions, StreamResult } from '#server/engine/port.ts';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import type { StreamInput } from '#server/engine/recognizer/stream.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { clip } from '#test/audio/clips.ts';
import type { Clip } from '#test/audio/clips.ts';
import { drive, finalText, spoken, toPcm } from '#test/audio/drive.ts';
import { loadRememberingModels } from '#test/audio/models.ts';
import { wordErrorRate, words } from '#test/audio/wer.ts';

// Recognition is heavy: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 400_000 });

const CLIPS = ['meeting-notes.wav', 'weather-report.wav', 'short.wav', 'two-sentences.wav', 'microphone-44k.wav'];

let recognizer: Recognizer;
let vad: Vad;
/** Results of every clip, streamed in pieces of 120 ms. */
const streamed = new Map<string, StreamResult[]>();

const options = ({ sampleRate }: Clip, more: Partial<StreamOptions> = {}): StreamOptions => ({
  sampleRate,
  channels: 1,
  endpointDetection: true,
  ...more,
});
const pieceBytes = ({ sampleRate }: Clip): number => Math.round(sampleRate * 0.12) * 2;

beforeAll(async () => {
  ({ recognizer, vad } = await loadRememberingModels());
  for (const name of CLIPS) {
    const found = clip(name);
    streamed.set(
      name,
      await drive(
        recognizer,
        vad,
        options(found, { languageIdentification: true }),
        spoken(found.pcm, pieceBytes(found)),
      ),
    );
  }
});

const resultsOf = (name: string): StreamResult[] => streamed.get(name) ?? [];

describe('live recognition', () => {
  it.each(CLIPS)('%s has at most 3 percent wrong words', (name) => {
    expect(wordErrorRate(clip(name).text, finalText(resultsOf(name)))).toBeLessThanOrEqual(0.03);
  });

  it.each(CLIPS)('%s: tokens go forward and stay within the audio', (name) => {
    let lastFinal = 0;
    let total = 0;
    let final = 0;
    for (const { tokens, finalAudioMs, totalAudioMs } of resultsOf(name)) {
      expect(totalAudioMs).toBeGreaterThanOrEqual(total);
      expect(finalAudioMs).toBeGreaterThanOrEqual(final);
      expect(finalAudioMs).toBeLessThanOrEqual(totalAudioMs);
      [total, final] = [totalAudioMs, finalAudioMs];
      let last = lastFinal;
      for (const { start_ms: start = -1, end_ms: end = -1, is_final } of tokens) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThanOrEqual(totalAudioMs);
        last = end;
        if (is_final) lastFinal = end;
      }
    }
    expect(total).toBe(Math.round(clip(name).seconds * 1000));
  });

  it.each(CLIPS)('%s: final tokens come first, once, and the last look at an utterance begins with them', (name) => {
    const results = resultsOf(name);
    for (const { tokens } of results) {
      const flags = tokens.map(({ is_final }) => is_final);
      expect(flags).toEqual([...flags].sort((a, b) => Number(b) - Number(a)));
    }
    const finals = results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final));
    const starts = finals.filter(({ text }) => text !== '<end>').map(({ start_ms, text }) => `${start_ms} ${text}`);
    expect(new Set(starts).size).toBe(starts.length);
    expect(finals.length).toBeGreaterThan(5);
  });

  it('shows words before they are final', () => {
    const results = resultsOf('meeting-notes.wav');
    const shown = results.filter(({ tokens }) => tokens.some(({ is_final }) => !is_final));
    expect(shown.length).toBeGreaterThan(10);
    const first = shown[0];
    // Speech begins at 0.4 s; the first words must show within a second of it.
    expect(first?.totalAudioMs).toBeLessThanOrEqual(1500);
  });

  it('makes part of a long utterance final while it goes on', () => {
    const [beforeEnd] = resultsOf('short.wav').filter(({ tokens }) => tokens.some(({ is_final }) => is_final));
    expect(beforeEnd?.tokens.some(({ is_final }) => !is_final)).toBe(true);
  });

  it('ends with one finished result that leaves nothing open', () => {
    for (const name of CLIPS) {
      const results = resultsOf(name);
      expect(results.filter(({ finished }) => finished)).toEqual([results.at(-1)]);
      expect(results.at(-1)?.tokens.every(({ is_final }) => is_final)).toBe(true);
      expect(results.at(-1)?.finalAudioMs).toBe(results.at(-1)?.totalAudioMs);
    }
  });

  it('REC-10: tells the language of every token when asked to, and only then', async () => {
    const told = CLIPS.flatMap(resultsOf).flatMap(({ tokens }) => tokens);
    expect(told.filter(({ text, language }) => (language === 'en') === (text === '<end>'))).toEqual([]);
    const found = clip('short.wav');
    const plain = await drive(recognizer, vad, options(found), spoken(found.pcm, pieceBytes(found)));
    expect(plain.flatMap(({ tokens }) => tokens).some((token) => 'language' in token || 'speaker' in token)).toBe(
      false,
    );
  });
});

describe('input', () => {
  it('may be cut anywhere, inside a sample too', async () => {
    const found = clip('short.wav');
    // The same amounts of audio arrive with each pair of pieces, the first of which ends inside a sample.
    const even = spoken(found.pcm, 3840);
    const odd = even.flatMap((input): StreamInput[] =>
      input.type === 'audio'
        ? [
            { type: 'audio', pcm: input.pcm.subarray(0, 1921) },
            { type: 'audio', pcm: input.pcm.subarray(1921) },
          ]
        : [input],
    );
    expect(finalText(await drive(recognizer, vad, options(found), odd))).toBe(
      finalText(await drive(recognizer, vad, options(found), even)),
    );
  });

  it('without any pause is cut on the way and still right', async () => {
    const found = clip('meeting-notes.wav');
    // The pauses between the turns are digital silence.
    const dense = found.samples.filter((sample, index) => sample !== 0 || found.samples[index - 200] !== 0);
    const results = await drive(recognizer, vad, options(found), spoken(toPcm(dense), pieceBytes(found)));
    expect(dense.length / 16_000).toBeGreaterThan(20);
    expect(wordErrorRate(found.text, finalText(results))).toBeLessThanOrEqual(0.06);
    const firstFinal = results.find(({ tokens }) => tokens.some(({ is_final }) => is_final));
    expect(firstFinal?.totalAudioMs).toBeLessThan(6000);
  });
});

describe('markers', () => {
  const texts = (results: readonly StreamResult[]): string[] =>
    results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final).map(({ text }) => text));

  it('<end> follows each utterance, after all its tokens are final', () => {
    const results = resultsOf('two-sentences.wav');
    expect(texts(results).filter((text) => text === '<end>')).toHaveLength(2);
    for (const { tokens, totalAudioMs } of results) {
      const at = tokens.findIndex(({ text }) => text === '<end>');
      if (at < 0) continue;
      expect(at).toBe(tokens.length - 1);
      expect(tokens[at]).toMatchObject({ is_final: true, confidence: 1 });
      expect(tokens[at]?.start_ms).toBe(tokens[at]?.end_ms);
      expect(tokens[at]?.end_ms).toBeLessThanOrEqual(totalAudioMs);
    }
    expect(finalText(results.slice(0, results.findIndex(({ tokens }) => tokens.at(-1)?.text === '<end>') + 1))).toMatch(
      /lunch\.$/,
    );
  });

  it('<end> is not told unless asked for', async () => {
    const found = clip('two-sentences.wav');
    const results = await drive(
      recognizer,
      vad,
      options(found, { endpointDetection: false }),
      spoken(found.pcm, pieceBytes(found)),
    );
    expect(texts(results)).not.toContain('<end>');
    expect(finalText(results)).toBe(finalText(resultsOf('two-sentences.wav')));
  });

  it('<fin> answers each finalize, after making all that was heard final', async () => {
    const found = clip('two-sentences.wav');
    const pieces = spoken(found.pcm, pieceBytes(found));
    const results = await drive(recognizer, vad, options(found), [
      ...pieces.slice(0, 22),
      { type: 'finalize' },
      { type: 'finalize' },
      ...pieces.slice(22),
    ]);
    const first = results.findIndex(({ tokens }) => tokens.at(-1)?.text === '<fin>');
    expect(results[first]?.tokens.every(({ is_final }) => is_final)).toBe(true);
    // It stands where the final words end: with the word that was being said at 2640 ms.
    const settled = results[first]?.finalAudioMs ?? 0;
    expect(results[first]?.tokens.at(-1)).toMatchObject({ start_ms: settled, end_ms: settled, confidence: 1 });
    expect(results[first]?.tokens.at(-2)?.start_ms).toBeLessThan(2640);
    expect(settled).toBeGreaterThanOrEqual(results[first]?.tokens.at(-2)?.end_ms ?? Infinity);
    for (const { start_ms } of results.slice(first + 1).flatMap(({ tokens }) => tokens))
      expect(start_ms).toBeGreaterThanOrEqual(settled);
    expect(finalText(results.slice(0, first + 1))).toMatch(/^She opened the window/);
    expect(results[first + 1]?.tokens.map(({ text }) => text)).toEqual(['<fin>']);
    // The finalize fell between two words, so nothing is lost.
    expect(wordErrorRate(found.text, finalText(results))).toBe(0);
  });

  /** Five times, two pieces (240 ms) apart. */
  const pressed = (pieces: readonly StreamInput[], at: number): StreamInput[] =>
    pieces.flatMap((piece, index) =>
      index >= at && index < at + 10 && (index - at) % 2 === 0 ? [{ type: 'finalize' }, piece] : [piece],
    );

  it.each([
    ['two-sentences.wav', 12],
    ['two-sentences.wav', 19],
    ['short.wav', 15],
    ['short.wav', 8],
  ])('CON-17 five finalizes while %s is spoken, from piece %d on, change none of its words', async (name, at) => {
    const found = clip(name);
    const pieces = spoken(found.pcm, pieceBytes(found));
    const results = await drive(recognizer, vad, options(found), pressed(pieces, at));
    expect(words(finalText(results))).toEqual(words(finalText(resultsOf(name))));
    expect(texts(results).filter((text) => text === '<fin>')).toHaveLength(5);
    for (const { tokens } of results.filter(({ tokens }) => tokens.some(({ text }) => text === '<fin>')))
      expect(tokens.every(({ is_final }) => is_final)).toBe(true);
  });

  it('CON-17 five finalizes in the silence after the words change nothing at all', async () => {
    const found = clip('short.wav');
    const pieces: StreamInput[] = spoken(found.pcm, pieceBytes(found)).slice(0, -1);
    const silence = Array.from({ length: 12 }, (): StreamInput => ({
      type: 'audio',
      pcm: new Uint8Array(pieceBytes(found)),
    }));
    const still = await drive(recognizer, vad, options(found), [...pieces, ...silence, { type: 'end' }]);
    const results = await drive(recognizer, vad, options(found), [...pieces, ...pressed(silence, 1), { type: 'end' }]);
    expect(finalText(results)).toBe(finalText(still));
    expect(texts(results).filter((text) => text === '<end>')).toHaveLength(1);
  });

  it('<fin> comes even when nothing was said', async () => {
    const results = await drive(recognizer, vad, { sampleRate: 16_000, channels: 1 }, [
      { type: 'finalize' },
      { type: 'end' },
    ]);
    expect(results.map(({ tokens, finished }) => [tokens.map(({ text }) => text), finished])).toEqual([
      [['<fin>'], false],
      [[], true],
    ]);
  });
});
