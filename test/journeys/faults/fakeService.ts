/** A live service under the hand of a test: it takes every session, and says and does what it is told. */
import type { Page, WebSocketRoute } from '@playwright/test';
import { LiveConfig, type LiveToken } from '#contract/live.ts';
import * as v from 'valibot';
import { KEY, SOCKET } from './live.ts';

type Deferred<T> = { promise: Promise<T>; resolve: (value: T) => void };

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

type Session = { socket: WebSocketRoute; start: LiveConfig };

export class FakeService {
  #socket: WebSocketRoute | null = null;
  #session = deferred<Session>();
  #ended = deferred<void>();
  #chunks: number[] = [];

  /** Takes the page's sessions, and its asking for keys. */
  static async stand(page: Page): Promise<FakeService> {
    const service = new FakeService();
    await page.route(KEY, (route) =>
      route.fulfill({
        status: 201,
        json: { api_key: 'temp:of-the-test', expires_at: new Date(Date.now() + 60_000).toISOString() },
      }),
    );
    await page.routeWebSocket(SOCKET, (socket) => service.#take(socket));
    return service;
  }

  #take(socket: WebSocketRoute): void {
    this.#socket = socket;
    this.#chunks = [];
    socket.onMessage((message) => {
      if (typeof message !== 'string') this.#chunks.push(message.byteLength);
      else if (message === '') this.#ended.resolve();
      // The first text frame; later ones change nothing.
      else this.#session.resolve({ socket, start: v.parse(LiveConfig, JSON.parse(message)) });
    });
  }

  /** The next session is another one. */
  expectSession(): void {
    this.#socket = null;
    this.#session = deferred();
    this.#ended = deferred();
  }

  /** The session that is on, from its first frame on. */
  session(): Promise<Session> {
    return this.#session.promise;
  }

  /** Bytes of each binary frame of the session so far. */
  get chunks(): readonly number[] {
    return this.#chunks;
  }

  /** Resolves once the page has ended the sound. */
  ended(): Promise<void> {
    return this.#ended.promise;
  }

  async say(tokens: readonly LiveToken[]): Promise<void> {
    (await this.session()).socket.send(JSON.stringify({ tokens }));
  }

  async close(how: { code: number; reason: string }): Promise<void> {
    await this.#socket?.close(how);
  }
}
