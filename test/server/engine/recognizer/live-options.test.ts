import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StreamOptions, StreamResult } from '#server/engine/port.ts';
import { PoolStream } from '#server/engine/recognizer/pool-stream.ts';
import type { FromWorker } from '#server/engine/recognizer/protocol.ts';
import type { Piece, Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { Scheduler } from '#server/engine/recognizer/scheduler.ts';
import { withSecondChance } from '#server/engine/recognizer/second-chance.ts';
import type { StreamInput } from '#server/engine/recognizer/stream.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { drive, finalText, spoken, toPcm, transcribeWhole } from '#test/audio/drive.ts';

/** Speech is what is loud. */
const vad: Vad = {
  detector: () => ({
    probability: (frame) => Promise.resolve(frame.some((sample) => Math.abs(sample) > 0.1) ? 0.9 : 0),
  }),
};

const WORD_MS = 300;
const isLoud = (sample: number): boolean => Math.abs(sample) > 0.1;

/** Hears one word for each 300 ms between the first and the last loud sample: the word's number. */
function counter(confidence: number, heard: number[] = []): Recognizer {
  return {
    async recognize(samples, { prefix = [], onStep } = {}) {
      heard.push(samples.length);
      const first = samples.findIndex(isLoud) / 16;
      const count = Math.max(prefix.length, Math.round((samples.findLastIndex(isLoud) / 16 - first) / WORD_MS));
      const pieces: Piece[] = [];
      for (let index = 0; index < count; index += 1) {
        pieces.push({
          text: ` w${index}`,
          ids: [index],
          startMs: first + index * WORD_MS,
          endMs: first + (index + 1) * WORD_MS,
          confidence,
        });
        await onStep?.();
      }
      return pieces;
    },
  };
}

/** Audio described as [milliseconds, loud] runs. */
function sound(...runs: [ms: number, loud: boolean][]): Uint8Array {
  return toPcm(
    Float32Array.from(runs.flatMap(([ms, loud]) => Array.from({ length: ms * 16 }, () => (loud ? 0.5 : 0)))),
  );
}

const LIVE: StreamOptions = { sampleRate: 16_000, channels: 1, endpointDetection: true };
const listen = (
  options: Partial<StreamOptions>,
  inputs: readonly StreamInput[],
  confidence = 0.95,
  heard: number[] = [],
): Promise<StreamResult[]> => drive(counter(confidence, heard), vad, { ...LIVE, ...options }, inputs);
const texts = (results: readonly StreamResult[]): string[] =>
  results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final).map(({ text }) => text.trim()));
const endsAt = (results: readonly StreamResult[]): number[] =>
  results
    .flatMap(({ tokens }) => tokens)
    .filter(({ text }) => text === '<end>')
    .map(({ end_ms }) => end_ms ?? -1);

describe('the longest wait for the end of an utterance', () => {
  it.each([
    [500, 400],
    [2000, 600],
    [3000, 900],
  ])('of %i ms ends it after %i ms, well before the wait is over', async (maxEndpointDelayMs, silence) => {
    const results = await listen(
      { maxEndpointDelayMs },
      spoken(sound([320, false], [1600, true], [2500, false]), 1024),
    );
    const [end, ...others] = endsAt(results);
    expect(others).toEqual([]);
    expect(Math.abs((end ?? 0) - 1920 - silence)).toBeLessThanOrEqual(64);
    expect((end ?? Infinity) - 1920).toBeLessThan(maxEndpointDelayMs);
  });

  it('decides whether a pause parts two utterances', async () => {
    const pcm = sound([320, false], [1600, true], [500, false], [1600, true], [1500, false]);
    expect(endsAt(await listen({ maxEndpointDelayMs: 500 }, spoken(pcm, 1024)))).toHaveLength(2);
    expect(endsAt(await listen({}, spoken(pcm, 1024)))).toHaveLength(1);
  });
});

describe('finalize', () => {
  const pcm = sound([320, false], [1600, true], [450, false]);

  it('of a client that has seen silence leaves it out of what is decoded', async () => {
    const [plain, told]: [number[], number[]] = [[], []];
    const audio = spoken(pcm, 1024).slice(0, -1);
    const one = await listen({}, [...audio, { type: 'finalize' }, { type: 'end' }], 0.95, plain);
    const two = await listen({}, [...audio, { type: 'finalize', trailingSilenceMs: 450 }, { type: 'end' }], 0.95, told);
    expect(finalText(two)).toBe(finalText(one));
    expect((plain.at(-1) ?? 0) - (told.at(-1) ?? 0)).toBeGreaterThan(100 * 16);
  });

  const asked = (at: number, ...rest: [ms: number, loud: boolean][]): StreamInput[] => {
    const inputs = spoken(sound([320, false], [1500, true], ...rest), 1024);
    return [...inputs.slice(0, at), { type: 'finalize' }, ...inputs.slice(at)];
  };

  it.each(['quiet', 'end'] as const)(
    'REC-11: in the middle of speech makes all of it final before %s',
    async (type) => {
      const said = spoken(sound([320, false], [1500, true]), 1024).slice(0, -1);
      const results = await listen({}, [...said, { type: 'finalize' }, { type: 'finalize' }, { type }]);
      expect(texts(results)).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', '<fin>', '<fin>']);
      expect(results.find(({ tokens }) => tokens.at(-1)?.text === '<fin>')).toMatchObject({
        finalAudioMs: 1820,
        totalAudioMs: 1820,
      });
    },
  );

  it('REC-11: hears what comes after a silent client once, and anew', async () => {
    const [said, more] = [sound([320, false], [1500, true]), sound([900, true], [1500, false])];
    const before: StreamInput[] = [...spoken(said, 1024).slice(0, -1), { type: 'finalize' }, { type: 'quiet' }];
    expect(texts(await listen({}, [...before, ...spoken(more, 1024)]))).toEqual([
      'w0',
      'w1',
      'w2',
      'w3',
      'w4',
      '<fin>',
      'w5',
      'w6',
      'w7',
      '<end>',
    ]);
  });

  it('REC-11: waits for the word that is being said, and no longer', async () => {
    // Asked for in the middle of w3, at 1376 ms.
    const results = await listen({}, asked(43, [3000, true], [1500, false]));
    const found = results.find(({ tokens }) => tokens.some(({ text }) => text === '<fin>'));
    expect(texts(results.slice(0, results.indexOf(found!) + 1))).toEqual(['w0', 'w1', 'w2', 'w3', '<fin>']);
    expect(found?.totalAudioMs).toBeLessThanOrEqual(1376 + 700 + 32);
    const words = texts(results).filter((text) => text.startsWith('w'));
    expect(words).toEqual(Array.from({ length: 15 }, (_, index) => `w${index}`));
  });

  it('never leaves out speech, whatever the client says of it', async () => {
    const heard: number[] = [];
    const results = await listen(
      {},
      [...spoken(pcm, 1024).slice(0, -1), { type: 'finalize', trailingSilenceMs: 60_000 }, { type: 'end' }],
      0.95,
      heard,
    );
    expect(finalText(results)).toBe('w0 w1 w2 w3 w4');
    expect(results.find(({ tokens }) => tokens.at(-1)?.text === '<fin>')?.tokens.at(-1)?.end_ms).toBe(2370);
  });
});

describe('a client that insists on languages', () => {
  const inputs = spoken(sound([320, false], [3200, true], [1500, false]), 1024);
  const strict = (...languageHints: string[]): Partial<StreamOptions> => ({ languageHints, languageHintsStrict: true });
  const count = (results: readonly StreamResult[]): number => results.flatMap(({ tokens }) => tokens).length;

  it('gets what sounds like one of them', async () => {
    expect(finalText(await listen(strict('de', 'en'), inputs))).toContain('w9');
  });

  it('gets nothing of what does not, neither for good nor for the moment', async () => {
    expect(count(await listen(strict('en'), inputs, 0.3))).toBe(0);
    expect(count(await listen(strict('de'), inputs))).toBe(0);
  });

  it('gets all where the hints are only hints', async () => {
    expect(finalText(await listen({ languageHints: ['en'] }, inputs, 0.3))).toContain('w9');
    expect(finalText(await listen(strict(), inputs, 0.3))).toContain('w9');
  });

  it('of a recording, too', async () => {
    const samples = Float32Array.from({ length: 48_000 }, (_, index) => (index > 8000 && index < 30_000 ? 0.5 : 0));
    const transcribe = async (confidence: number): Promise<number> =>
      (await transcribeWhole(counter(confidence), vad, samples, { languageHints: ['en'], languageHintsStrict: true }))
        .length;
    expect(await transcribe(0.9)).toBeGreaterThan(0);
    expect(await transcribe(0.3)).toBe(0);
  });
});

describe('language identification', () => {
  it.each([
    ['sure', 0.95, {}],
    ['doubtful', 0.3, {}],
    ['doubtful', 0.3, { languageHints: ['en'] }],
  ])(
    'REC-10: tells the language of every token of %s speech, %d, with %o, and of no marker',
    async (_, sure, hints) => {
      const options = { ...hints, languageIdentification: true };
      const pcm = sound([320, false], [3200, true], [1500, false]);
      const live = (await listen(options, spoken(pcm, 1024), sure)).flatMap(({ tokens }) => tokens);
      const told = (finality: boolean): Set<string> =>
        new Set(
          live
            .filter(({ is_final }) => is_final === finality)
            .map(({ text, language }) => `${text.trim().replace(/\d+/, '')} ${language}`),
        );
      expect(told(true)).toEqual(new Set(['w en', '<end> undefined']));
      expect(told(false)).toEqual(new Set(['w en']));
      const samples = Float32Array.from({ length: 48_000 }, (_, index) => (index > 8000 && index < 30_000 ? 0.5 : 0));
      const file = await transcribeWhole(counter(sure), vad, samples, options);
      expect(new Set(file.map(({ language }) => language))).toEqual(new Set(['en']));
    },
  );
});

describe('a second chance', () => {
  const piece = (confidence: number, text = ' a'): Piece => ({ text, ids: [1], startMs: 0, endMs: 1, confidence });

  it('is given to the unsure, and the surer of two complete results is taken', async () => {
    const sure = [piece(0.95)];
    const better = [piece(0.8)];
    const unsure = [piece(0.6)];
    expect(await withSecondChance((trim) => Promise.resolve(trim === 0 ? sure : better))).toBe(sure);
    expect(await withSecondChance((trim) => Promise.resolve(trim === 0 ? unsure : better))).toBe(better);
    expect(await withSecondChance((trim) => Promise.resolve(trim === 0 ? better : unsure))).toBe(better);
    expect(
      await withSecondChance((trim) => Promise.resolve(trim === 0 ? [...unsure, ...unsure] : better)),
    ).toHaveLength(2);
  });

  it('is complete with as many words, in however few pieces', async () => {
    const shattered = [' Pl', 'att', '-', 'form', ' for', '.'].map((text) => piece(0.6, text));
    const clear = [' platform', ' four'].map((text) => piece(0.8, text));
    expect(await withSecondChance((trim) => Promise.resolve(trim === 0 ? shattered : clear))).toBe(clear);
  });
});

describe('a worker with a stream', () => {
  it('REC-11: answers a finalize inside speech once its client has sent no audio for long enough', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sent: FromWorker[] = [];
    const scheduler = new Scheduler(counter(0.95), vad, (message) => sent.push(message));
    const finals = (): string[] =>
      sent.flatMap((message) => (message.type === 'stream.result' ? texts([message.result]) : []));
    const audio = (ms: number): void => scheduler.receive({ type: 'stream.audio', id: 1, pcm: sound([ms, true]) });
    scheduler.receive({ type: 'stream.open', id: 1, options: LIVE });
    audio(1200);
    scheduler.receive({ type: 'stream.finalize', id: 1, trailingSilenceMs: 0, quietMs: 500 });
    await vi.advanceTimersByTimeAsync(499);
    audio(300);
    await vi.advanceTimersByTimeAsync(499);
    expect(vi.getTimerCount()).toBe(1);
    expect(finals()).not.toContain('<fin>');
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(finals()).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', '<fin>']));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('REC-11: takes no client for silent whose audio waits for a slow recognizer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const after = (ms: number, act: () => void): unknown => setTimeout(act, ms);
    const slow: Recognizer = {
      recognize: async (...given) => {
        await new Promise<void>((resolve) => after(1000, resolve));
        return counter(0.95).recognize(...given);
      },
    };
    const results: StreamResult[] = [];
    const scheduler = new Scheduler(slow, vad, (message) => after(125, () => stream.receive(message)));
    const stream = new PoolStream(
      1,
      LIVE,
      { result: (result) => results.push(result), error: ({ message }) => expect.unreachable(message) },
      (message) => after(125, () => message.type !== 'beat' && scheduler.receive(message)),
      () => undefined,
    );
    const send = async (): Promise<void> => {
      const pcm = sound([320, false], [6000, true], [1500, false]);
      for (let at = 0; at < pcm.length; at += 3200) {
        if (at === 36 * 3200) stream.finalize();
        if (!stream.write(pcm.subarray(at, at + 3200))) await stream.drained();
      }
      stream.end();
    };
    void send();
    while (results.at(-1)?.finished !== true) {
      await vi.advanceTimersByTimeAsync(25);
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    }
    const words = Array.from({ length: 20 }, (_, index) => `w${index}`);
    expect(texts(results)).toEqual([...words.slice(0, 11), '<fin>', ...words.slice(11), '<end>']);
  });

  it('stops waiting for a stream that is closed with audio not taken in', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const scheduler = new Scheduler({ recognize: () => new Promise(() => {}) }, vad, () => undefined);
    const audio = { type: 'stream.audio', id: 1, pcm: sound([3000, true]) } as const;
    scheduler.receive({ type: 'stream.open', id: 1, options: LIVE });
    for (let n = 0; n < 2; n += 1) scheduler.receive(audio);
    scheduler.receive({ type: 'stream.finalize', id: 1, trailingSilenceMs: 0, quietMs: 300 });
    await vi.advanceTimersByTimeAsync(300);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(vi.getTimerCount()).toBe(1);
    scheduler.receive({ type: 'close', id: 1 });
    await vi.advanceTimersByTimeAsync(300);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a worker with a long recording', () => {
  const options = { languageIdentification: false, diarization: false, continued: false };
  const speech = Float32Array.from({ length: 19 * 16_000 }, (_, index) =>
    index > 8000 && index < 18 * 16_000 ? 0.5 : 0,
  );

  /** Hears as the counter does, and tells of each step of a recording; live looks give no step. */
  const stepping = (onStep: (step: number) => void): Recognizer => {
    let step = 0;
    return {
      recognize: (samples, { onStep: goOn, ...given } = {}) =>
        counter(0.95).recognize(samples, {
          ...given,
          ...(goOn !== undefined && {
            onStep: async () => {
              step += 1;
              onStep(step);
              await goOn();
            },
          }),
        }),
    };
  };
  const open = (scheduler: Scheduler, id: number, samples?: Float32Array): void => {
    scheduler.receive({ type: 'file.open', id, options });
    if (samples !== undefined) scheduler.receive({ type: 'file.audio', id, samples });
    scheduler.receive({ type: 'file.end', id });
  };

  it('serves live speech between two steps of decoding', async () => {
    const sent: FromWorker[] = [];
    let [steps, stepsAtFirstWord] = [0, -1];
    await new Promise<void>((resolve) => {
      const recognizer = stepping((step) => {
        steps = step;
        if (step !== 10) return;
        scheduler.receive({ type: 'stream.open', id: 2, options: LIVE });
        scheduler.receive({ type: 'stream.audio', id: 2, pcm: sound([200, false], [1200, true]) });
      });
      const scheduler = new Scheduler(recognizer, vad, (message) => {
        sent.push(message);
        if (message.type === 'stream.result' && stepsAtFirstWord < 0) stepsAtFirstWord = steps;
        if (message.type === 'file.done') resolve();
      });
      open(scheduler, 1, speech);
    });
    expect(steps).toBeGreaterThan(50);
    expect(stepsAtFirstWord).toBe(10);
    expect(sent.some((message) => message.type === 'stream.result' && message.result.tokens.length > 0)).toBe(true);
  });

  it('drops it in the middle of a segment when it is cancelled, without another word', async () => {
    const sent: FromWorker[] = [];
    let steps = 0;
    await new Promise<void>((resolve) => {
      const recognizer = stepping((step) => {
        steps = step;
        if (step === 10) scheduler.receive({ type: 'close', id: 1 });
      });
      const scheduler = new Scheduler(recognizer, vad, (message) => {
        sent.push(message);
        if (message.type === 'file.done') resolve();
      });
      open(scheduler, 1, speech);
      open(scheduler, 3);
    });
    expect(steps).toBe(10);
    expect(sent.filter(({ type }) => type !== 'ready').every((message) => 'id' in message && message.id === 3)).toBe(
      true,
    );
  });
});
