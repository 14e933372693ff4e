import { request, type IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { OperatorError } from '../operator-error.ts';
import { COPY_PATH } from './copy.ts';
import { PATH_MAX_BYTES, socketOf, unreachable } from './socket.ts';

const Line = v.union([v.object({ folder: v.string() }), v.object({ error: v.string() })]);

/** A copy of a running server's database. Until `giveBack` the server keeps it and removes no recordings. */
interface BorrowedCopy {
  folder: string;
  /** False once the connection to the server is lost: then recordings may have been removed. */
  isHeld(): boolean;
  giveBack(): Promise<void>;
}

/** Asks the server of a data directory for a copy of its database; undefined if none runs. @throws OperatorError */
export async function borrowCopy(dataDir: string): Promise<BorrowedCopy | undefined> {
  const socketPath = socketOf(dataDir);
  // A server cannot listen at such a path either.
  if (Buffer.byteLength(socketPath) > PATH_MAX_BYTES) return undefined;
  const answer = await ask(socketPath);
  if (answer === undefined) return undefined;
  let isHeld = true;
  // An error is always followed by `close`.
  answer.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    answer.once('close', () => {
      isHeld = false;
      resolve();
    });
  });
  const line = await firstLine(answer);
  if (line === undefined) throw new OperatorError('The server ended before it had copied its database.');
  if ('error' in line) throw new OperatorError(line.error);
  return {
    folder: line.folder,
    isHeld: () => isHeld,
    giveBack: () => {
      answer.destroy();
      return closed;
    },
  };
}

const ask = (socketPath: string): Promise<IncomingMessage | undefined> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method: 'POST', path: COPY_PATH, agent: false }, resolve);
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(new OperatorError(unreachable(error, socketPath)));
    });
    outgoing.end();
  });

/** Reads the first line of an answer that stays open; undefined if it closes before. */
const firstLine = (answer: IncomingMessage): Promise<v.InferOutput<typeof Line> | undefined> =>
  new Promise((resolve, reject) => {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end < 0) return;
      try {
        resolve(v.parse(Line, JSON.parse(text.slice(0, end))));
      } catch (error) {
        reject(new OperatorError(`The server answers like another version: ${text.slice(0, 200)}`, { cause: error }));
      }
    });
    answer.once('close', () => resolve(undefined));
  });
