import { describe, expect, it, vi } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import type { TextFile } from '#machines/playground/reader/exporter/actors.ts';
import { cuesOf } from '#machines/playground/reader/exporter/cues.ts';
import { exportText, type ExportOptions } from '#machines/playground/reader/exporter/formats.ts';
import { exporterMachine } from '#machines/playground/reader/exporter/machine.ts';
import type { Token } from '#machines/playground/transcript/record.ts';

/** Words of half a second each, with pauses of the given length in ms before some of them. */
function said(
  text: string,
  {
    from = 0,
    speaker,
    pauses = {},
    word = 500,
  }: { from?: number; speaker?: string; pauses?: Record<string, number>; word?: number } = {},
): Token[] {
  let at = from;
  return text.split(' ').map((piece) => {
    at += pauses[piece] ?? 0;
    const token: Token = {
      text: ` ${piece}`,
      start_ms: at,
      end_ms: at + word,
      confidence: 0.9,
      ...(speaker === undefined ? {} : { speaker }),
    };
    at += word;
    return token;
  });
}

const DIALOGUE = [
  ...said('Good morning.', { speaker: '1' }),
  ...said('Hello <b>there</b> & welcome.', { from: 2000, speaker: '2' }),
];
const OPTIONS: ExportOptions = { format: 'txt', side: 'everything', withSpeakers: true };

const TRANSLATED: Token[] = [
  { text: 'Hello', start_ms: 1000, end_ms: 1500, language: 'en', translation_status: 'original' },
  { text: ' world.', start_ms: 1500, end_ms: 3000, language: 'en', translation_status: 'original' },
  { text: 'Hola', language: 'es', source_language: 'en', translation_status: 'translation' },
  { text: ' mundo.', language: 'es', source_language: 'en', translation_status: 'translation' },
  { text: ' OK.', start_ms: 3000, end_ms: 4000, language: 'es', translation_status: 'none' },
];

describe('formats', () => {
  it('text has a line per run of a speaker', () => {
    expect(exportText(DIALOGUE, OPTIONS)).toBe('Speaker 1: Good morning.\nSpeaker 2: Hello <b>there</b> & welcome.\n');
    expect(exportText(DIALOGUE, { ...OPTIONS, withSpeakers: false })).toBe(
      'Good morning.\nHello <b>there</b> & welcome.\n',
    );
  });

  it('JSON is the transcript as the API gives it, without marks of our own', () => {
    const json: unknown = JSON.parse(
      exportText([...DIALOGUE, { text: '', boundary: 'separator' }, { text: '', boundary: 'segment' }], {
        ...OPTIONS,
        format: 'json',
      }),
    );
    expect(json).toEqual({ text: ' Good morning. Hello <b>there</b> & welcome.', tokens: DIALOGUE });
  });

  it('SRT numbers its captions and names a speaker where it changes', () => {
    expect(exportText(DIALOGUE, { ...OPTIONS, format: 'srt' })).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: Good morning.\n\n2\n00:00:02,000 --> 00:00:04,000\nSpeaker 2: Hello <b>there</b> & welcome.\n\n',
    );
  });

  it('WebVTT voices its speakers and escapes what would be markup', () => {
    expect(exportText(DIALOGUE, { ...OPTIONS, format: 'vtt' })).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Speaker 1>Good morning.\n\n00:00:02.000 --> 00:00:04.000\n<v Speaker 2>Hello &lt;b&gt;there&lt;/b&gt; &amp; welcome.\n',
    );
    expect(exportText(DIALOGUE, { ...OPTIONS, format: 'vtt', withSpeakers: false })).not.toContain('<v');
  });

  it('TRN-06: ends of lines inside of tokens end no caption and no line, and what has no words is none', () => {
    const tokens: Token[] = [
      { text: 'One\r\n\r\ntwo', start_ms: 0, end_ms: 500, speaker: '1\n\n' },
      { text: '\n\n three\u2028', start_ms: 500, end_ms: 1000, speaker: '1\n\n' },
      { text: ' \r ', start_ms: 5000, end_ms: 5500, speaker: '2' },
    ];
    expect((['srt', 'vtt', 'txt'] as const).map((format) => exportText(tokens, { ...OPTIONS, format }))).toEqual([
      '1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: One two three\n\n',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Speaker 1>One two three\n',
      'Speaker 1: One two three\n',
    ]);
  });

  it('hours count beyond one', () => {
    expect(exportText(said('Late.', { from: 3_723_004 }), { ...OPTIONS, format: 'srt' })).toContain(
      '01:02:03,004 --> 01:02:04,004',
    );
  });

  it('an empty transcript gives an empty file of its kind', () => {
    expect((['txt', 'srt', 'vtt'] as const).map((format) => exportText([], { ...OPTIONS, format }))).toEqual([
      '',
      '',
      'WEBVTT\n',
    ]);
  });
});

describe('captions', () => {
  const texts = (tokens: Token[], side: ExportOptions['side'] = 'everything') =>
    cuesOf(tokens, side).map(({ lines }) => lines);

  it('break at pauses, and nowhere else as long as they can be read', () => {
    expect(texts(said('one two three four', { word: 300, pauses: { three: 900 } }))).toEqual([
      ['one two'],
      ['three four'],
    ]);
    expect(texts(said('one two three four', { word: 300, pauses: { three: 700 } }))).toEqual([['one two three four']]);
  });

  it('have at most two lines of 42 columns, about as long as each other, and last at most seven seconds', () => {
    const words = said(Array.from({ length: 200 }, (_, index) => `word${index}`).join(' '), { word: 250 });
    const cues = cuesOf(words, 'everything');
    expect(cues.length).toBeGreaterThan(10);
    for (const { lines, startMs, endMs } of cues) {
      expect(lines.length).toBeLessThanOrEqual(2);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(42);
      expect(endMs - startMs).toBeLessThanOrEqual(7000);
    }
    expect(cues.flatMap(({ lines }) => lines).join(' ')).toBe(
      words
        .map(({ text }) => text)
        .join('')
        .trim(),
    );
    const [first] = cues;
    expect(Math.abs((first?.lines[0]?.length ?? 0) - (first?.lines[1]?.length ?? 0))).toBeLessThan(12);
  });

  it('never overlap, and stay for a second where there is room', () => {
    const [short, next] = cuesOf([...said('Yes.', { word: 100 }), ...said('And then', { from: 5000 })], 'everything');
    expect([short?.startMs, short?.endMs]).toEqual([0, 1000]);
    expect(next?.startMs).toBe(5000);
    const [first, second] = cuesOf(
      [...said('Yes.', { word: 100, speaker: '1' }), ...said('No.', { from: 300, speaker: '2' })],
      'everything',
    );
    expect(first?.endMs).toBe(second?.startMs);
  });

  it('a translation stands where its original is said; what is not translated belongs to both', () => {
    expect(cuesOf(TRANSLATED, 'translation')).toEqual([
      { startMs: 1000, endMs: 3000, speaker: null, lines: ['Hola mundo.'] },
      { startMs: 3000, endMs: 4000, speaker: null, lines: ['OK.'] },
    ]);
    expect(texts(TRANSLATED, 'original')).toEqual([['Hello world.'], ['OK.']]);
    expect(texts(TRANSLATED)).toEqual([['Hello world.'], ['Hola mundo.'], ['OK.']]);
  });

  it('languages without blanks are cut between characters, which take two columns', () => {
    const tokens: Token[] = Array.from(
      '今日は天気がいいので公園まで散歩に行きましょうと彼女は言いましたが私は家で本を読みたかった',
      (text, index) => ({ text, start_ms: index * 100, end_ms: index * 100 + 100 }),
    );
    const lines = texts(tokens).flat();
    expect(lines.join('')).toBe(tokens.map(({ text }) => text).join(''));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(21);
  });
});

describe('the file', () => {
  const save = (name: string, fail = false) => {
    const files: TextFile[] = [];
    const exporter = createActor(
      exporterMachine.provide({
        actors: {
          saveTextFile: fromPromise(({ input }) => {
            files.push(input);
            return fail ? Promise.reject(new Error('no')) : Promise.resolve();
          }),
        },
      }),
    ).start();
    exporter.send({ type: 'format.selected', format: 'vtt' });
    exporter.send({ type: 'download.requested', name, tokens: DIALOGUE, side: 'everything' });
    return { files, exporter };
  };

  it('takes the name of the recording', () => {
    expect(save('talk.mp3').files[0]).toMatchObject({
      filename: 'talk.vtt',
      mediaType: 'text/vtt;charset=utf-8',
      text: expect.stringContaining('WEBVTT'),
    });
    expect(save('notes of 3.5.2026').files[0]?.filename).toBe('notes of 3.5.2026.vtt');
    expect(save('.wav').files[0]?.filename).toBe('transcript.vtt');
  });

  it('says so when the browser refuses, and can be asked again', async () => {
    const { exporter } = save('talk.mp3', true);
    await vi.waitFor(() => expect(exporter.getSnapshot().hasTag('refused')).toBe(true));
    exporter.send({ type: 'download.requested', name: 'talk.mp3', tokens: DIALOGUE, side: 'everything' });
    expect(exporter.getSnapshot().hasTag('refused')).toBe(false);
  });

  it('CON-26: holds the side that is shown, for there is one choice of it', () => {
    const { files, exporter } = save('talk.mp3');
    exporter.send({ type: 'format.selected', format: 'txt' });
    exporter.send({ type: 'download.requested', name: 'talk.mp3', tokens: TRANSLATED, side: 'translation' });
    expect(files.at(-1)?.text).toBe('Hola mundo.\nOK.\n');
    expect(exporter.getSnapshot().context).not.toHaveProperty('side');
  });
});
