/** The outside of a live session, under a path's hand: the microphone, the audio thread, the key and the socket. */
import type { Page, WebSocketRoute } from '@playwright/test';
import { LIVE_PATH } from '#contract/live.ts';
import { PausedCalls } from './pausedCalls.ts';
import { expect } from './consolePage.ts';

export const KEY = 'key-of-the-path';

/** Runs in the page, before everything else. What is held there is let go by name. */
function holdDevices(): void {
  const asked: (() => void)[] = [];
  const drained: (() => void)[] = [];
  const tracks: MediaStreamTrack[] = [];
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  // The browser asks; the user takes time to answer.
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    await new Promise<void>((resolve) => asked.push(resolve));
    const stream = await open(constraints);
    tracks.push(...stream.getTracks());
    return stream;
  };
  // The code that taps the sound takes time to load, and may not come at all. (Requests of worklets pass no route.)
  const loading: { go: () => void; fail: (error: Error) => void }[] = [];
  const load = AudioWorklet.prototype.addModule;
  AudioWorklet.prototype.addModule = async function (...given) {
    await new Promise<void>((go, fail) => loading.push({ go, fail }));
    return load.apply(this, given);
  };
  // A file may turn out to be broken while it plays.
  const players: HTMLAudioElement[] = [];
  window.Audio = class extends Audio {
    constructor(address?: string) {
      super(address);
      players.push(this);
    }
  };
  // The server may not take the connection at all. (Set when it is wanted: by then the class is the one that a path holds.)
  let given: typeof WebSocket | undefined;
  const misdirect = () => {
    const Given = window.WebSocket;
    given = Given;
    window.WebSocket = class extends Given {
      constructor(address: string | URL) {
        super(new URL('/nowhere', address).href);
      }
    };
    return 1;
  };
  const direct = () => {
    if (given) window.WebSocket = given;
    given = undefined;
    return 0;
  };
  // The audio thread takes time to hand over its last samples.
  const port = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage') ?? {};
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    ...port,
    set(this: MessagePort, handler: ((event: MessageEvent) => void) | null) {
      const hear = (event: MessageEvent<{ type?: unknown } | null>) => {
        if (event.data?.type === 'drained') drained.push(() => handler?.call(this, event));
        else handler?.call(this, event);
      };
      port.set?.call(this, handler && hear);
    },
  });
  Object.assign(window, {
    devices: {
      answer: () => asked.splice(0).map((go) => go()).length,
      deliver: () => loading.splice(0).map(({ go }) => go()).length,
      withhold: () => loading.splice(0).map(({ fail }) => fail(new Error('offline'))).length,
      drain: () => drained.splice(0).map((go) => go()).length,
      break: () => players.splice(0).map((player) => player.dispatchEvent(new Event('error'))).length,
      misdirect,
      direct,
      unplug: () => tracks.splice(0).map((track) => track.dispatchEvent(new Event('ended'))).length,
      open: () => tracks.filter(({ readyState }) => readyState === 'live').length,
    },
  });
}

type Device = 'answer' | 'deliver' | 'withhold' | 'drain' | 'unplug' | 'break' | 'misdirect' | 'direct' | 'open';
type Live = { socket: WebSocketRoute; texts: string[]; chunks: number; isClosed: boolean };

export class LiveDevices {
  readonly #page: Page;
  readonly #calls = new PausedCalls((request) =>
    request.url().endsWith('/v1/auth/temporary-api-key') ? 'temporaryKey' : null,
  );
  #closesAtOnce: { code: number; reason: string } | null = null;
  #live: Live | null = null;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(page: Page): Promise<LiveDevices> {
    const devices = new LiveDevices(page);
    await page.addInitScript(holdDevices);
    await devices.#calls.stand(page);
    await page.routeWebSocket(
      (url) => url.pathname === LIVE_PATH,
      (socket) => devices.#accept(socket),
    );
    return devices;
  }

  #accept(socket: WebSocketRoute): void {
    const live: Live = { socket, texts: [], chunks: 0, isClosed: false };
    this.#live = live;
    socket.onMessage((message) => {
      if (typeof message === 'string') live.texts.push(message);
      else live.chunks += 1;
    });
    socket.onClose(() => {
      live.isClosed = true;
    });
    if (this.#closesAtOnce) void socket.close(this.#closesAtOnce);
  }

  /** Before a session: nothing has happened yet, and what an earlier one left behind is let go. */
  async reset(): Promise<void> {
    for (const does of ['answer', 'deliver', 'drain', 'direct'] as const) await this.device(does);
    this.#calls.forget();
    this.#closesAtOnce = null;
    this.#live = null;
  }

  /** What a device in the page did, or how many there are of it. */
  device(does: Device): Promise<number> {
    return this.#page.evaluate((name) => {
      const devices: unknown = Reflect.get(window, 'devices');
      const act: unknown = typeof devices === 'object' && devices !== null ? Reflect.get(devices, name) : undefined;
      const count: unknown = typeof act === 'function' ? act() : 0;
      return Number(count);
    }, does);
  }

  /** The microphone is granted or denied, by the browser itself. */
  async answerPrompt(isGranted: boolean): Promise<void> {
    if (isGranted) await this.#page.context().grantPermissions(['microphone']);
    else await this.#page.context().clearPermissions();
    await expect.poll(() => this.device('answer'), 'the microphone is asked for').toBeGreaterThan(0);
    if (isGranted) await this.deliverWorklet(true);
  }

  /** The page gets the code that taps its sound, or does not. */
  async deliverWorklet(isDelivered: boolean): Promise<void> {
    await expect
      .poll(() => this.device(isDelivered ? 'deliver' : 'withhold'), 'the worklet is asked for')
      .toBeGreaterThan(0);
  }

  async grantKey(): Promise<void> {
    await this.#calls.answer('temporaryKey', { api_key: KEY, expires_at: new Date(Date.now() + 60_000).toISOString() });
  }

  async refuseKey(error: unknown): Promise<void> {
    await this.#calls.fail('temporaryKey', error);
  }

  /** The server does not take the connection that the page asks for. */
  async refuseConnection(): Promise<void> {
    await this.device('misdirect');
    await this.grantKey();
  }

  /** The session's socket, once its first frame has come. */
  async live(): Promise<Live> {
    await expect.poll(() => this.#live?.texts.length ?? 0, 'the first frame').toBeGreaterThan(0);
    if (!this.#live) throw new Error('There is no socket.');
    return this.#live;
  }

  async say(frame: unknown): Promise<void> {
    (await this.live()).socket.send(JSON.stringify(frame));
  }

  /** The server closes the socket: the one that is open, or the one that is about to be. */
  async close(how: { code: number; reason: string }): Promise<void> {
    if (this.#live) {
      await this.#live.socket.close(how);
      return;
    }
    this.#closesAtOnce = how;
    await this.grantKey();
  }

  /** The session is over for the browser too. */
  async isReleased(): Promise<void> {
    await expect.poll(() => this.device('open'), 'open microphones').toBe(0);
    await expect.poll(() => this.#live?.isClosed ?? true, 'the socket is closed').toBe(true);
  }
}
