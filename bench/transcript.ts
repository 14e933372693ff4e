/**
 * A long transcript inside Chromium: 100,000 tokens that are answered at once, and an hour of 20 messages a second. Nothing
 * is recognized; the answers and the socket are made up.
 */
import { performance } from 'node:perf_hooks';
import type { CDPSession, Page } from 'playwright';
import { openPlayground, withConsole } from './browser.ts';
import { type Row, atMost, figure, quantile } from './row.ts';
import { scaled } from './settings.ts';

const TOKENS = scaled(100_000);
const TEXT = `${TOKENS.toLocaleString('en')} tokens`;
const MESSAGES_PER_MINUTE = scaled(1200);
const MINUTES = 60;
const PAINTED_MESSAGES = scaled(200);
/** The first few are not counted. */
const FRAMES = 5 + scaled(395);
/** No frame of 60 Hz is missed; the clock rounds to a tenth. */
const FRAME_BUDGET_MS = 17;
const PAINT_BUDGET_MS = 50;
const GROWTH_BUDGET = 1.2;
const ID = '3f2b8c1e-5a4d-4c6b-9e7f-0a1b2c3d4e5f';

/** The page's hold on the made-up socket. */
type Feed = {
  /** Sends so many messages, one in each frame or all at once. */
  send: (count: number, isPaced: boolean) => Promise<void>;
  /** Milliseconds from each of so many messages, 20 a second, to its painted word. */
  paint: (count: number) => Promise<number[]>;
};

declare global {
  interface Window {
    feed: Feed;
  }
}

function fakeSocket(): void {
  const MESSAGES_AT_ONCE = 200;
  let sent = 0;
  let deliver = (_text: string): void => undefined;
  const frame = () =>
    new Promise<void>((resolve) => {
      // The next task after a frame runs when it has been painted.
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve();
        channel.port2.postMessage(null);
      });
    });
  /** A word that is final, an end of an utterance now and then, and three words that may still change. */
  const message = () => {
    const start = sent * 50;
    const timed = (text: string, isFinal: boolean) => ({
      text,
      start_ms: start,
      end_ms: start + 50,
      confidence: 0.9,
      is_final: isFinal,
    });
    const isEnd = sent % 12 === 11;
    const tokens = [
      timed(isEnd ? '<end>' : ` w${sent}${sent % 12 === 10 ? '.' : ''}`, true),
      timed(' and', false),
      timed(' may', false),
      timed('be', false),
    ];
    sent += 1;
    deliver(JSON.stringify({ tokens, final_audio_proc_ms: start, total_audio_proc_ms: start }));
  };
  window.WebSocket = class extends EventTarget {
    static readonly OPEN = 1;
    readonly OPEN = 1;
    readyState = 1;
    onopen = (): void => undefined;
    onmessage = (_event: { data: string }): void => undefined;
    constructor() {
      super();
      deliver = (data) => this.onmessage({ data });
      queueMicrotask(() => this.onopen());
    }
    send(): void {
      // Nobody listens.
    }
    close(): void {
      this.readyState = 3;
    }
  } as unknown as typeof WebSocket;
  window.feed = {
    send: async (count, isPaced) => {
      for (let index = 0; index < count; index += 1) {
        message();
        if (isPaced || index % MESSAGES_AT_ONCE === 0) await frame();
      }
    },
    paint: async (count) => {
      const delays: number[] = [];
      for (let index = 0; index < count; index += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (sent % 12 === 11) message();
        const wanted = `w${sent}`;
        const at = performance.now();
        message();
        do await frame();
        while (
          ![...document.querySelectorAll('[data-details]:not([data-pending])')].some((word) =>
            word.textContent?.startsWith(wanted),
          )
        );
        delays.push(performance.now() - at);
      }
      return delays;
    },
  };
}

/** Milliseconds that the page's main thread has worked, as Chromium counts them. */
async function worked(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

async function heapMebibytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

async function measuring(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return session;
}

async function hourOfSpeech(page: Page): Promise<Row[]> {
  await page.addInitScript(fakeSocket);
  await openPlayground(page, 'real-time');
  const session = await measuring(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Running' }).waitFor();
  const minute = async () => {
    const before = await worked(session);
    await page.evaluate((count) => window.feed.send(count, true), MESSAGES_PER_MINUTE);
    return ((await worked(session)) - before) / MESSAGES_PER_MINUTE;
  };
  const first = await minute();
  await page.evaluate((count) => window.feed.send(count, false), MESSAGES_PER_MINUTE * (MINUTES - 2));
  const last = await minute();
  const painted = await page.evaluate((count) => window.feed.paint(count), PAINTED_MESSAGES);
  return [
    figure('Live: main thread per message, first minute', first, 'ms'),
    figure('Live: main thread per message, 60th minute', last, 'ms'),
    atMost('Live: 60th minute against the first', last / first, '×', GROWTH_BUDGET),
    atMost('Live after an hour: message to painted word, p95', quantile(painted, 0.95), 'ms', PAINT_BUDGET_MS),
    figure('Live after an hour: heap', await heapMebibytes(session), 'MiB'),
  ];
}

/** Five speakers in two languages. */
function longTranscript() {
  return Array.from({ length: TOKENS }, (_, index) => ({
    text: `${index % 3 === 2 ? '' : ' '}w${index}${index % 15 === 14 ? '.' : ''}`,
    start_ms: index * 100,
    end_ms: index * 100 + 90,
    confidence: 0.9,
    speaker: String((Math.floor(index / 150) % 5) + 1),
    language: Math.floor(index / 1500) % 2 === 0 ? 'en' : 'de',
  }));
}

async function answerWithText(page: Page): Promise<void> {
  const tokens = longTranscript();
  const transcription = {
    id: ID,
    status: 'completed',
    created_at: '2026-01-05T10:00:00.000Z',
    model: 'stt-async-v4',
    filename: 'long.wav',
    audio_duration_ms: TOKENS * 100,
    enable_speaker_diarization: true,
    enable_language_identification: true,
  };
  await page.route(`**/v1/transcriptions/${ID}`, (route) => route.fulfill({ json: transcription }));
  await page.route(`**/v1/transcriptions/${ID}/transcript`, (route) =>
    route.fulfill({ json: { id: ID, text: tokens.map(({ text }) => text).join(''), tokens } }),
  );
}

/** Milliseconds from the whole answer to the painted text. */
function textPainted(): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector('[data-details]')) return;
      words.disconnect();
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          const answer = performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/transcript'));
          resolve(performance.now() - (answer instanceof PerformanceResourceTiming ? answer.responseEnd : Number.NaN));
        };
        channel.port2.postMessage(null);
      });
    };
    const words = new MutationObserver(look);
    words.observe(document, { childList: true, subtree: true });
    look();
  });
}

/** Milliseconds between frames, and the most words in the page in any of them. */
function watchFrames(count: number): Promise<{ frames: number[]; words: number }> {
  return new Promise((resolve) => {
    const frames: number[] = [];
    let words = 0;
    let last = performance.now();
    const next = (now: number) => {
      frames.push(now - last);
      last = now;
      words = Math.max(words, document.querySelectorAll('[data-details]').length);
      if (frames.length < count) requestAnimationFrame(next);
      else resolve({ frames: frames.slice(5), words });
    };
    requestAnimationFrame(next);
  });
}

/** Turns the wheel until `watched` is there. */
async function turnWheel<T>(page: Page, watched: Promise<T>): Promise<T> {
  await page.getByRole('region', { name: 'Transcript text' }).hover();
  let isOver = false;
  const over = watched.finally(() => (isOver = true));
  while (!isOver) await page.mouse.wheel(0, 700);
  return over;
}

async function longText(page: Page): Promise<Row[]> {
  await answerWithText(page);
  await openPlayground(page, 'async');
  const session = await measuring(page);
  await page.addInitScript(`window.textPainted = (${textPainted.toString()})();`);
  await page.goto(page.url().replace(/speech-to-text\/.*$/, `speech-to-text/${ID}/?mode=async`));
  const first = await page.evaluate<number>('window.textPainted');
  const { frames: atRest } = await page.evaluate(watchFrames, FRAMES);
  const before = await worked(session);
  const { frames, words } = await turnWheel(page, page.evaluate(watchFrames, FRAMES));
  const work = ((await worked(session)) - before) / FRAMES;
  return [
    figure(`${TEXT}: answer to painted text`, first, 'ms'),
    atMost(`${TEXT}: frame while scrolling, p95`, quantile(frames, 0.95), 'ms', FRAME_BUDGET_MS),
    figure(`${TEXT}: frame while scrolling, p50`, quantile(frames, 0.5), 'ms'),
    figure(`${TEXT}: frame at rest, p95`, quantile(atRest, 0.95), 'ms'),
    figure(`${TEXT}: main thread per frame while scrolling`, work, 'ms'),
    figure(`${TEXT}: words in the page, most`, words, ''),
    figure(`${TEXT}: heap`, await heapMebibytes(session), 'MiB'),
  ];
}

export function run(): Promise<Row[]> {
  return withConsole(async (open) => {
    const rows: Row[] = [];
    for (const measure of [longText, hourOfSpeech]) {
      const context = await open();
      const page = await context.newPage();
      // The loader marks functions with a helper that does not travel to the page with them.
      await page.addInitScript('globalThis.__name = (marked) => marked;');
      rows.push(...(await measure(page)));
      await context.close();
    }
    return rows;
  });
}
