import { describe, expect, it, vi } from 'vitest';
import type { LiveToken } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Translation } from '#contract/translation.ts';
import { EngineError, type StreamResult } from '#server/engine/port.ts';
import { translatingEngine } from '#server/engine/translation/engine.ts';
import type { LanguagePair } from '#server/engine/translation/modes.ts';
import type { Translator } from '#server/engine/translation/translator.ts';
import { createFakeEngine, type FakeEngineScript } from '../../fake-engine.ts';

const TO_SPANISH: Translation = { type: 'one_way', target_language: 'es' };
const BOTH_WAYS: Translation = { type: 'two_way', language_a: 'es', language_b: 'en' };
const PAIRS: LanguagePair[] = [
  { from: 'en', to: 'es' },
  { from: 'es', to: 'en' },
  { from: 'fr', to: 'en' },
];
const EN = { language: 'en' };

/** Speech as tokens, 400 ms each without pauses. */
const spoken = (texts: readonly string[], extra: Partial<TranscriptToken> = EN, from = 0): TranscriptToken[] =>
  texts.map((text, index) => ({
    text,
    start_ms: from + index * 400,
    end_ms: from + (index + 1) * 400,
    confidence: 0.8,
    ...extra,
  }));
const firm = (tokens: readonly TranscriptToken[]): LiveToken[] => tokens.map((token) => ({ ...token, is_final: true }));
const open = (tokens: readonly TranscriptToken[]): LiveToken[] =>
  tokens.map((token) => ({ ...token, is_final: false }));

/** `o:` original, `t:` translation, `n:` none; neighbours of a kind and language in one line. */
const runs = (tokens: readonly (TranscriptToken & { is_final?: boolean })[]): string[] => {
  const found: { key: string; text: string }[] = [];
  for (const token of tokens) {
    const key = `${token.speaker ?? ''}${token.translation_status?.[0] ?? '-'}${token.is_final === false ? '?' : ''}:${token.language ?? ''}`;
    const last = found.at(-1);
    if (last?.key === key) last.text += token.text;
    else found.push({ key, text: token.text });
  }
  return found.map(({ key, text }) => `${key} ${text.trim()}`);
};

const setUp = (
  script: FakeEngineScript = {},
  translate: Translator['translate'] = (text) => Promise.resolve(text.toUpperCase()),
) => {
  const close = vi.fn(() => Promise.resolve());
  const translated = vi.fn(translate);
  const inner = createFakeEngine({ info: { languages: ['en', 'es'] }, ...script });
  return {
    inner,
    close,
    translated,
    engine: translatingEngine(inner, { pairs: () => PAIRS, translate: translated, close }),
  };
};
const silence = async function* silence(): AsyncIterable<Float32Array> {
  yield new Float32Array(16_000);
};
const live = (set: ReturnType<typeof setUp>, translation: Translation = TO_SPANISH) => {
  const results: StreamResult[] = [];
  const errors: EngineError[] = [];
  const stream = set.engine.openStream(
    { sampleRate: 16_000, channels: 1, translation },
    { result: (result) => void results.push(result), error: (error) => void errors.push(error) },
  );
  const heard = set.inner.streams[0]!;
  const say = (tokens: LiveToken[], totalAudioMs = 0, finished = false): void =>
    heard.events.result({ tokens, finalAudioMs: 0, totalAudioMs, finished });
  const told = (count: number) =>
    vi.waitFor(() => {
      expect(results).toHaveLength(count);
      return results.map(({ tokens }) => runs(tokens));
    });
  return { results, errors, stream, heard, say, told };
};

describe('what is offered', () => {
  it('are pairs whose source the recognizer knows', () => {
    expect(setUp().engine.info().translations).toEqual(PAIRS.slice(0, 2));
    expect(setUp({ info: { languages: ['en'] } }).engine.info().translations).toEqual(PAIRS.slice(0, 1));
  });

  it('is nothing extra without a translation', async () => {
    const set = setUp({ transcribe: () => Promise.resolve(spoken(['Hi.'])) });
    const { tokens } = await set.engine.transcribe(silence());
    expect(tokens).toEqual(spoken(['Hi.']));
    expect(set.translated).not.toHaveBeenCalled();
    expect(set.engine.openStream({ sampleRate: 8000, channels: 1 }, { result() {}, error() {} })).toBe(
      set.inner.streams[0],
    );
  });
});

describe('a recording', () => {
  const transcribed = async (tokens: TranscriptToken[], translation: Translation = TO_SPANISH) => {
    const transcribe = vi.fn<NonNullable<FakeEngineScript['transcribe']>>(() => Promise.resolve(tokens));
    const set = setUp({ transcribe });
    const result = await set.engine.transcribe(silence(), { translation });
    expect(transcribe.mock.calls[0]?.[1]).toMatchObject({ languageIdentification: true });
    return { ...set, tokens: result.tokens };
  };

  it('has every sentence before its translation', async () => {
    const { tokens } = await transcribed(
      spoken(['Good', ' mor', 'ning', '.', ' Mr', '.', ' Po', 'e', ' pays', ' 3', '.', '5', '?', ' Bye']),
    );
    expect(runs(tokens)).toEqual([
      'o:en Good morning.',
      't:es GOOD MORNING.',
      'o:en Mr. Poe pays 3.5?',
      't:es MR. POE PAYS 3.5?',
      'o:en Bye',
      't:es BYE',
    ]);
    expect(tokens.filter(({ translation_status }) => translation_status === 'translation').slice(0, 2)).toEqual([
      { text: ' GOOD', confidence: 0.8, language: 'es', translation_status: 'translation', source_language: 'en' },
      { text: ' MORNING.', confidence: 0.8, language: 'es', translation_status: 'translation', source_language: 'en' },
    ]);
  });

  it('is as sure of a translation as of what was heard, to the nearest thousandth', async () => {
    const heard = spoken(['One', ' two', ' three.']).map((token, at) => ({ ...token, confidence: at === 0 ? 0.9 : 1 }));
    const { tokens } = await transcribed(heard);
    const translation = tokens.filter(({ translation_status }) => translation_status === 'translation');
    expect(new Set(translation.map(({ confidence }) => confidence))).toEqual(new Set([0.967]));
  });

  it('is translated speaker by speaker, language by language, and after a pause', async () => {
    const { tokens } = await transcribed([
      ...spoken(['So', ' what'], { ...EN, speaker: '1' }),
      ...spoken([' no', ' idea'], { ...EN, speaker: '2' }, 800),
      ...spoken([' bonjour'], { speaker: '2' }, 1600),
      ...spoken([' well'], { ...EN, speaker: '2' }, 2000),
      ...spoken([' later'], { ...EN, speaker: '2' }, 3900),
    ]);
    expect(runs(tokens)).toEqual([
      '1o:en So what',
      '1t:es SO WHAT',
      '2o:en no idea',
      '2t:es NO IDEA',
      '2n: bonjour',
      '2o:en well',
      '2t:es WELL',
      '2o:en later',
      '2t:es LATER',
    ]);
  });

  it('leaves what is in the target language already, and languages without a pair', async () => {
    const { tokens } = await transcribed([
      ...spoken(['Hola.'], { language: 'es' }),
      ...spoken([' Hallo.'], { language: 'de' }),
    ]);
    expect(runs(tokens)).toEqual(['n:es Hola.', 'n:de Hallo.']);
  });

  it('goes both ways when asked to', async () => {
    const { tokens } = await transcribed(
      [...spoken(['Hola.'], { language: 'es' }), ...spoken([' Hi.'], EN), ...spoken([' Salut.'], { language: 'fr' })],
      BOTH_WAYS,
    );
    expect(runs(tokens)).toEqual(['o:es Hola.', 't:en HOLA.', 'o:en Hi.', 't:es HI.', 'n:fr Salut.']);
  });

  it("keeps the client's terms, is cut where no sentence ends, and stops when told", async () => {
    const terms = [{ source: 'a', target: 'b' }];
    const set = setUp({ transcribe: () => Promise.resolve(spoken(Array.from({ length: 200 }, () => ' word'))) });
    await set.engine.transcribe(silence(), { translation: TO_SPANISH, context: { translation_terms: terms } });
    expect(set.translated.mock.calls.length).toBeGreaterThan(1);
    expect(set.translated.mock.calls[0]).toEqual([expect.any(String), PAIRS[0], terms]);
    const cancelled = new AbortController();
    const running = setUp({ transcribe: () => Promise.resolve(spoken(['One.', ' Two.'])) }, (text) => {
      cancelled.abort();
      return Promise.resolve(text);
    });
    await expect(
      running.engine.transcribe(silence(), { translation: TO_SPANISH, signal: cancelled.signal }),
    ).rejects.toMatchObject({ code: 'aborted' });
    expect(running.translated).toHaveBeenCalledTimes(1);
  });

  it('fails as a whole when its translation does', async () => {
    const heard = setUp({ transcribe: () => Promise.resolve(spoken(['Hi.'])) }, () =>
      Promise.reject(new EngineError('worker_crashed', 'The translation failed.')),
    );
    await expect(heard.engine.transcribe(silence(), { translation: TO_SPANISH })).rejects.toMatchObject({
      code: 'worker_crashed',
    });
  });
});

describe('a live stream', () => {
  it('translates a sentence once it is final and the next has begun', async () => {
    const { say, told, heard, results } = live(setUp());
    expect(heard.options).toMatchObject({ languageIdentification: true });
    say(open(spoken(['Hel', 'lo'])));
    say([...firm(spoken(['Hello', '.'])), ...open(spoken(['5'], EN, 800))]);
    say([...firm(spoken(['5', '.'], EN, 800)), ...open(spoken([' Bye'], EN, 1600))]);
    expect(await told(3)).toEqual([
      ['o?:en Hello'],
      ['o:en Hello.', 'o?:en 5'],
      ['o:en 5.', 't:es HELLO.5.', 'o?:en Bye'],
    ]);
    expect(results[2]?.tokens.map(({ is_final }) => is_final)).toEqual([true, true, true, false]);
  });

  it('goes both ways when asked to, and leaves a third language alone', async () => {
    const { say, told } = live(setUp(), BOTH_WAYS);
    say([...firm(spoken(['Hola.'], { language: 'es' })), ...firm(spoken([' Hi.'], EN, 400))]);
    say(firm(spoken([' Salut.'], { language: 'fr' }, 800)), 1200, true);
    expect((await told(2)).flat()).toEqual(['o:es Hola.', 't:en HOLA.', 'o:en Hi.', 't:es HI.', 'n:fr Salut.']);
  });

  it('translates what waits before a marker, in a silence, and at the end', async () => {
    const { say, told } = live(setUp());
    say([...firm(spoken(['one'])), { text: '<fin>', is_final: true }]);
    say(firm(spoken([' two'], EN, 400)), 900);
    say([], 1800);
    say([], 2300);
    say(firm(spoken([' three'], EN, 2400)), 2800, true);
    expect(await told(5)).toEqual([
      ['o:en one', 't:es ONE', '-: <fin>'],
      ['o:en two'],
      [],
      ['t:es TWO'],
      ['o:en three', 't:es THREE'],
    ]);
  });

  it('keeps the order when translating takes its time, and says nothing after abort', async () => {
    const pending: (() => void)[] = [];
    const set = setUp({}, (text) => new Promise((resolve) => pending.push(() => resolve(text.toUpperCase()))));
    const { say, told, stream, results, heard } = live(set);
    say(firm(spoken(['One.'])));
    say(open(spoken([' two'], EN, 400)));
    await vi.waitFor(() => expect(pending).toHaveLength(1));
    expect(results).toEqual([]);
    pending[0]?.();
    expect(await told(2)).toEqual([['o:en One.', 't:es ONE.'], ['o?:en two']]);
    say(firm(spoken([' Two.'], EN, 400)));
    await vi.waitFor(() => expect(pending).toHaveLength(2));
    stream.abort();
    pending[1]?.();
    await new Promise(setImmediate);
    expect(results).toHaveLength(2);
    expect(heard.calls).toEqual(['abort']);
  });

  it('ends with one error when a translation fails, or the recognizer does', async () => {
    const failing = live(setUp({}, () => Promise.reject(new Error('boom'))));
    failing.say(firm(spoken(['One.'])));
    failing.say(firm(spoken([' Two.'], EN, 400)));
    await vi.waitFor(() => expect(failing.errors).toHaveLength(1));
    expect(failing.errors[0]).toMatchObject({ code: 'worker_crashed', message: 'The translation failed.' });
    expect(failing.results).toEqual([]);
    expect(failing.heard.calls).toEqual(['abort']);
    const broken = live(setUp());
    broken.say(firm(spoken(['One.'])));
    broken.heard.fail(new EngineError('overloaded', 'Too many.'));
    await vi.waitFor(() => expect(broken.errors).toHaveLength(1));
    expect(broken.results).toHaveLength(1);
  });

  it('hands audio, finalize and the end on, and slows its caller down', async () => {
    const { stream, heard } = live(setUp());
    expect(stream.write(new Uint8Array(4))).toBe(true);
    heard.fill();
    expect(stream.write(new Uint8Array(6))).toBe(false);
    const drained = stream.drained();
    heard.drain();
    await drained;
    stream.finalize(10);
    stream.end();
    expect(heard.calls).toEqual([4, 6, 'finalize', 'end']);
  });
});

it('closing ends the recognizer and the translator', async () => {
  const set = setUp();
  await set.engine.close();
  expect(set.close).toHaveBeenCalledTimes(1);
});
