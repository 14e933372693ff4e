/** Sends bytes from one thread to another, one piece per request. */
import type { MessagePort } from 'node:worker_threads';
import { EngineError, type EngineErrorCode } from '../port.ts';

type Answer =
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  | { type: 'failed'; code: EngineErrorCode; message: string; cause: string };

/**
 * Answers each request on the port with the next piece. Resolves when the other side closes the port. Never rejects.
 */
export async function sendOnRequest(port: MessagePort, pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  const answer = (message: Answer): void =>
    port.postMessage(message, message.type === 'bytes' ? [message.bytes.buffer as ArrayBuffer] : []);
  const asked = async (): Promise<void> => {
    const next = await pieces.next();
    if (next.done === true) answer({ type: 'end' });
    // Copy: posting transfers the buffer to the other thread.
    else answer({ type: 'bytes', bytes: new Uint8Array(next.value) });
  };
  port.on('message', () => {
    asked().catch((error: unknown) => {
      const { code, message, cause } =
        error instanceof EngineError
          ? error
          : new EngineError('worker_crashed', 'The decoder failed.', { cause: error });
      answer({ type: 'failed', code, message, cause: String(cause) });
    });
  });
  await new Promise<void>((resolve) => {
    port.on('close', resolve);
  });
}

/**
 * Requests one piece after the other on the port, then closes it.
 * @param beforeEach runs before each request
 * @throws EngineError
 */
export async function* requestPieces(
  port: MessagePort,
  beforeEach: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const END: Answer = { type: 'end' };
  let isClosed = false;
  let take: (answer: Answer) => void = () => undefined;
  port.on('message', (answer: Answer) => take(answer));
  port.on('close', () => {
    isClosed = true;
    take(END);
  });
  try {
    for (;;) {
      beforeEach();
      const answer = await new Promise<Answer>((resolve) => {
        take = resolve;
        if (isClosed) resolve(END);
        else port.postMessage(null);
      });
      if (answer.type === 'end') return;
      if (answer.type === 'failed') throw new EngineError(answer.code, answer.message, { cause: answer.cause });
      yield answer.bytes;
    }
  } finally {
    port.close();
  }
}
