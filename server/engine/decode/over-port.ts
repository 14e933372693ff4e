/** Bytes from one thread to another, a piece at a time and only when it is asked for. */
import type { MessagePort } from 'node:worker_threads';
import { EngineError, type EngineErrorCode } from '../port.ts';

type Answer =
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  | { type: 'failed'; code: EngineErrorCode; message: string; cause: string };

/** Gives what is asked for over the port, to the end of all or until nobody asks any more; then the port is closed. Never rejects. */
export async function giveOver(port: MessagePort, pieces: AsyncGenerator<Uint8Array>): Promise<void> {
  const answer = (one: Answer): void =>
    port.postMessage(one, one.type === 'bytes' ? [one.bytes.buffer as ArrayBuffer] : []);
  const asked = async (): Promise<void> => {
    const next = await pieces.next();
    if (next.done === true) answer({ type: 'end' });
    // A copy: its memory goes to the other thread.
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

/** Asks for one piece after the other over the port, and closes it. @param beforeEach is called whenever one is waited for @throws EngineError */
export async function* takenOver(
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
