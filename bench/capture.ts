/**
 * What recording costs the page's main thread, measured inside Chromium against a socket that takes the sound and says
 * nothing: what the recognizer's words cost is measured elsewhere.
 */
import type { AddressInfo } from 'node:net';
import type { CDPSession } from 'playwright';
import { type RawData, WebSocketServer } from 'ws';
import { openPlayground, withConsole } from './browser.ts';
import { type Row, atMost, figure } from './row.ts';
import { scaled } from './settings.ts';

/** Seconds of sound that are measured, after those with which a recording begins. */
const MEASURED_SECONDS = scaled(15);
const BEGINNING_SECONDS = 2;
/** A twentieth of the time. */
const BUDGET_MS_PER_SECOND = 50;

declare global {
  interface Window {
    longTasks: number[];
  }
}

/** Takes the sound of one session. */
class Listener {
  readonly server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  #bytesPerSecond = Number.NaN;
  #bytes = 0;
  #waiting: { seconds: number; resolve: () => void }[] = [];

  constructor() {
    this.server.on('connection', (socket) => {
      socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Seconds of sound so far. */
  get seconds(): number {
    return this.#bytes / this.#bytesPerSecond;
  }

  reached(seconds: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ seconds, resolve }));
  }

  #take(data: RawData, isBinary: boolean): void {
    if (!(data instanceof Buffer)) return;
    if (!isBinary) {
      const { sample_rate: rate, num_channels: channels } = JSON.parse(data.toString('utf8')) as {
        sample_rate?: number;
        num_channels?: number;
      };
      if (rate && channels) this.#bytesPerSecond = rate * channels * 2;
      return;
    }
    this.#bytes += data.byteLength;
    for (const { seconds, resolve } of this.#waiting) if (this.seconds >= seconds) resolve();
  }

  close(): void {
    for (const client of this.server.clients) client.terminate();
    this.server.close();
  }
}

/** Milliseconds that the main thread has worked, without what other processes took from it. */
async function workedMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

export async function run(): Promise<Row[]> {
  const listener = new Listener();
  await new Promise((resolve) => listener.server.once('listening', resolve));
  try {
    return await withConsole(
      async (open) => {
        const page = await (await open()).newPage();
        await page.addInitScript(() => {
          window.longTasks = [];
          new PerformanceObserver((list) =>
            window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
          ).observe({ type: 'longtask' });
        });
        await openPlayground(page, 'real-time');
        const devtools = await page.context().newCDPSession(page);
        await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await listener.reached(BEGINNING_SECONDS);
        await page.evaluate(() => {
          window.longTasks = [];
        });
        const [workedBefore, secondsBefore] = [await workedMs(devtools), listener.seconds];
        await listener.reached(secondsBefore + MEASURED_SECONDS);
        const seconds = listener.seconds - secondsBefore;
        const worked = (await workedMs(devtools)) - workedBefore;
        const longTasks = await page.evaluate(() => window.longTasks);
        return [
          atMost('Main thread per second of captured sound', worked / seconds, 'ms', BUDGET_MS_PER_SECOND),
          figure('Tasks of more than 50 ms per minute of captured sound', (longTasks.length / seconds) * 60, ''),
          figure('Longest task while capturing', Math.max(0, ...longTasks), 'ms'),
        ];
      },
      { STREAMING_URL: listener.url },
    );
  } finally {
    listener.close();
  }
}
