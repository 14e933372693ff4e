import { fromCallback } from 'xstate';
import * as v from 'valibot';
import {
  CHUNK_MAX_BYTES,
  CLOSE_NORMAL,
  type LiveConfig,
  type LiveControl,
  LiveFrame,
  PLACEHOLDER_API_KEY,
  QUEUED_MESSAGES_MAX,
} from '#contract/live.ts';
import { isEveryday, toFailure } from '#machines/shared/failure.ts';
import { errorOfFrame, liveError, QUEUE_OVERFLOW, type LiveError } from '#machines/playground/live/errors.ts';
import type { KeylessLiveConfig } from '#machines/playground/settings/types.ts';
import type { SocketCommand, SocketEvent } from '#machines/playground/stream/actors.ts';

/** Time between keepalive messages. */
const KEEPALIVE_MS = 15_000;
/** Silence of the server after which the connection counts as dead. */
const SILENCE_MAX_MS = 60_000;

export type LiveSocketOptions = {
  /** The key goes into the first frame and nowhere else (LIV-14). Rejects with a CallError. */
  temporaryKey: (signal: AbortSignal) => Promise<string>;
  address: () => string;
  createSocket?: (address: string) => WebSocket;
  /** Milliseconds, monotonic. */
  now?: () => number;
};

type Message = string | ArrayBuffer;

/** The `socket` actor. It reports nothing after the socket has closed, failed or been refused. */
export const createLiveSocket = ({
  temporaryKey,
  address,
  createSocket = (url) => new WebSocket(url),
  now = () => performance.now(),
}: LiveSocketOptions) =>
  fromCallback<SocketCommand, void>(({ sendBack, receive }) => {
    const ended = new AbortController();
    let queue: Message[] = [];
    let socket: WebSocket | undefined;
    let isOpen = false;
    let watch: ReturnType<typeof setInterval> | undefined;

    const report = (event: SocketEvent) => {
      if (!ended.signal.aborted) sendBack(event);
    };
    const end = () => {
      ended.abort();
      clearInterval(watch);
      queue = [];
      if (socket && socket.readyState <= socket.OPEN) socket.close(CLOSE_NORMAL);
    };
    /** The last event of this actor. */
    const finish = (event: SocketEvent) => {
      report(event);
      end();
    };
    const refuse = (error: LiveError) => finish({ type: 'socket.refused', error });

    function send(message: Message) {
      if (ended.signal.aborted) return;
      if (socket && isOpen) socket.send(message);
      else if (queue.length < QUEUED_MESSAGES_MAX) queue.push(message);
      else refuse(QUEUE_OVERFLOW);
    }

    async function connect(config: KeylessLiveConfig) {
      const first: KeylessLiveConfig & Pick<LiveConfig, 'api_key'> = { ...config, api_key: PLACEHOLDER_API_KEY };
      try {
        first.api_key = await temporaryKey(ended.signal);
      } catch (error) {
        const failure = toFailure(error);
        const { message, errorType, limit, requestId } = failure;
        refuse({
          code: errorType ?? 'temporary_key_failed',
          message,
          ...(limit ? { limit } : {}),
          ...(requestId && !isEveryday(failure) ? { requestId } : {}),
        });
        return;
      }
      if (!ended.signal.aborted) open(JSON.stringify(first));
    }

    function open(firstFrame: string) {
      try {
        socket = createSocket(address());
      } catch (error) {
        // Not an address, or forbidden by the content security policy.
        refuse(liveError('websocket_error', toFailure(error).message));
        return;
      }
      const opened = socket;
      const alive = keepAlive(opened);
      opened.onopen = () => {
        if (ended.signal.aborted) return;
        isOpen = true;
        opened.send(firstFrame);
        for (const message of queue) opened.send(message);
        queue = [];
        watch = setInterval(alive.check, KEEPALIVE_MS);
        report({ type: 'socket.opened' });
      };
      opened.onmessage = ({ data }: MessageEvent<unknown>) => {
        alive.noteMessage();
        read(data);
      };
      opened.onerror = () => finish({ type: 'socket.failed' });
      opened.onclose = ({ code, reason }) => finish({ type: 'socket.closed', code, reason });
    }

    function read(data: unknown) {
      const frame = parseFrame(data);
      if (!frame) refuse(liveError('websocket_error', 'The server sent a message that cannot be read.'));
      else if ('error_message' in frame) refuse(errorOfFrame(frame));
      else report({ type: 'socket.received', result: frame });
    }

    /** Fails the socket after two silent checks in a row, since timers are late in hidden tabs and after sleep. */
    function keepAlive(opened: WebSocket) {
      let heardAt = now();
      let isSuspected = false;
      return {
        noteMessage: () => {
          heardAt = now();
          isSuspected = false;
        },
        check: () => {
          const isSilent = now() - heardAt > SILENCE_MAX_MS;
          if (isSilent && isSuspected) finish({ type: 'socket.failed' });
          else opened.send(control({ type: 'keepalive' }));
          isSuspected = isSilent;
        },
      };
    }

    receive((command) => {
      switch (command.type) {
        case 'connect.requested':
          // Reports its failures itself.
          void connect(command.config);
          break;
        case 'audio.chunk':
          for (const part of split(command.pcm)) send(part);
          break;
        case 'finalize.requested':
          send(control({ type: 'finalize' }));
          break;
        case 'audio.ended':
          if (isOpen) send('');
          else finish({ type: 'socket.closed', code: CLOSE_NORMAL, reason: '' });
          break;
      }
    });
    return end;
  });

const control = (message: LiveControl) => JSON.stringify(message);

/** Splits audio into parts of the allowed size, between samples. */
function* split(pcm: ArrayBuffer): Generator<ArrayBuffer> {
  for (let at = 0; at < pcm.byteLength; at += CHUNK_MAX_BYTES) yield pcm.slice(at, at + CHUNK_MAX_BYTES);
}

function parseFrame(data: unknown): LiveFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const parsed = v.safeParse(LiveFrame, JSON.parse(data));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
