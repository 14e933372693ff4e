/**
 * Two delays of the live page, measured inside Chromium: from a socket message to its painted token (against a scripted
 * socket of 20 messages a second), and from captured sound to the wire (against the fake microphone).
 */
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright';
import { WebSocketServer } from 'ws';
import { openPlayground, withConsole } from './browser.ts';
import { type Row, atMost, figure, quantile } from './row.ts';
import { scaled } from './settings.ts';

const MESSAGES = 10 + scaled(190);
const INTERVAL_MS = 50;
/** A message must be on the screen within three frames of 60 Hz. */
const PAINT_BUDGET_MS = 50;
/** A chunk holds about this much sound, so that its first sample waits this long by design. */
const CHUNK_MS = 120;

declare global {
  interface Window {
    received: Map<string, number>;
    painted: number[];
    sent: { at: number; bytes: number }[];
  }
}

/** Notes when a message with the word `wN` reaches the page, and the frame after the one in which `wN` is in the document. */
function instrument(): void {
  window.received = new Map();
  window.painted = [];
  window.sent = [];
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }: MessageEvent<string>) => {
        const word = /\bw\d+\b/.exec(data)?.[0];
        if (word) window.received.set(word, performance.now());
      });
    }
    override send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
      if (data instanceof ArrayBuffer) window.sent.push({ at: performance.now(), bytes: data.byteLength });
      super.send(data as string);
    }
  };
  new MutationObserver(() => {
    const words = new Set([...document.querySelectorAll('[data-details]')].map((word) => word.textContent?.trim()));
    const shown = [...window.received.keys()].filter((word) => words.has(word));
    requestAnimationFrame(() => {
      // The next task after a frame runs when it has been painted.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const now = performance.now();
        for (const word of shown) {
          const at = window.received.get(word);
          if (at === undefined) continue;
          window.received.delete(word);
          window.painted.push(now - at);
        }
      };
      channel.port2.postMessage(null);
    });
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** A socket that answers the first frame with one token at a time, as fast as a talkative server. */
function scriptedSocket(): Promise<WebSocketServer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    let sent = 0;
    const timer = setInterval(() => {
      const start = sent * INTERVAL_MS;
      const token = {
        text: ` w${sent}`,
        start_ms: start,
        end_ms: start + INTERVAL_MS,
        confidence: 0.9,
        is_final: true,
      };
      socket.send(JSON.stringify({ tokens: [token], final_audio_proc_ms: start, total_audio_proc_ms: start }));
      sent += 1;
      if (sent === MESSAGES) clearInterval(timer);
    }, INTERVAL_MS);
    socket.on('close', () => clearInterval(timer));
  });
  return new Promise((resolve) => server.once('listening', () => resolve(server)));
}

async function messageToPaint(page: Page): Promise<number[]> {
  await openPlayground(page, 'real-time');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForFunction((count) => window.painted.length >= count * 0.98, MESSAGES, {
    timeout: MESSAGES * INTERVAL_MS * 3,
  });
  return page.evaluate(() => window.painted);
}

/** How late each chunk leaves compared with the earliest one, plus the sound it holds: the age of its oldest sample. */
async function captureToWire(page: Page): Promise<number[]> {
  await openPlayground(page, 'real-time');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForFunction(() => window.sent.length >= 60, undefined, { timeout: 30_000 });
  const sent = await page.evaluate(() => window.sent);
  const bytesPerMs = (44_100 * 2) / 1000;
  let bytes = 0;
  // The first chunks were queued while the socket opened.
  const lateness = sent.map((chunk) => chunk.at - (bytes += chunk.bytes) / bytesPerMs).slice(15);
  const earliest = Math.min(...lateness);
  return lateness.map((late) => late - earliest + CHUNK_MS);
}

export async function run(): Promise<Row[]> {
  const socket = await scriptedSocket();
  const { port } = socket.address() as AddressInfo;
  const measure = (open: () => Promise<BrowserContext>) => async (how: (page: Page) => Promise<number[]>) => {
    const context = await open();
    const page = await context.newPage();
    // The loader marks functions with a helper that does not travel to the page with them.
    await page.addInitScript('globalThis.__name = (marked) => marked;');
    await page.addInitScript(instrument);
    const samples = await how(page);
    await context.close();
    return samples;
  };
  try {
    return await withConsole(
      async (open) => {
        const paint = await measure(open)(messageToPaint);
        const wire = await measure(open)(captureToWire);
        return [
          figure('Message to painted token, p50', quantile(paint, 0.5), 'ms'),
          atMost('Message to painted token, p95', quantile(paint, 0.95), 'ms', PAINT_BUDGET_MS),
          figure('Captured sound to wire, p50', quantile(wire, 0.5), 'ms'),
          figure('Captured sound to wire, p95', quantile(wire, 0.95), 'ms'),
        ];
      },
      { STREAMING_URL: `ws://127.0.0.1:${port}/` },
    );
  } finally {
    for (const client of socket.clients) client.terminate();
    socket.close();
  }
}
