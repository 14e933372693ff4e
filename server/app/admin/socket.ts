/** The socket by which `npm run admin` reaches a server on the embedded database, which only the server can open. */
import { chmod, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import type { LimitDefaults } from '../../money/limits/defaults.ts';
import { isForOperator, OperatorError } from '../operator-error.ts';
import type { Services } from '../../platform/context.ts';
import { runCommand, type Answer } from './commands.ts';
import { COPY_PATH, CopyLender } from './copy.ts';

const Command = v.pipe(v.string(), v.parseJson(), v.object({ args: v.array(v.string()) }));
const MALFORMED = {
  error: 'The command is malformed: it must be JSON, such as {"args":["jobs","list"]}, sent by POST over HTTP.',
};
const Reply = v.union([
  v.object({ error: v.string() }),
  v.object({ text: v.string(), data: v.unknown(), failed: v.optional(v.boolean()) }),
]);

/** Longest command. */
const BODY_MAX_BYTES = 64 * 1024;

/** Longest path of a socket that the system takes, bytes. Node.js would cut off a longer one. */
export const PATH_MAX_BYTES = process.platform === 'darwin' ? 103 : 107;

export const socketOf = (dataDir: string): string => join(dataDir, 'admin.sock');

/** @throws OperatorError if the socket's path is too long */
function checkLength(path: string): void {
  const length = Buffer.byteLength(path);
  if (length > PATH_MAX_BYTES)
    throw new OperatorError(
      `The path ${path} has ${length} bytes; a socket's path may have at most ${PATH_MAX_BYTES}. npm run admin needs a shorter DATA_DIR, or DATABASE_URL.`,
    );
}

/**
 * Listens for commands on a socket in the data directory, until the server closes. Only the server's own user can open
 * it. If the socket cannot be made, for example because its path is too long, writes a warning to the log.
 */
export async function openAdminSocket(services: Services, limitDefaults: LimitDefaults): Promise<void> {
  const { config, log, closing } = services;
  const path = socketOf(config.dataDir);
  const parts = { ...services, limitDefaults };
  const answer = async (incoming: IncomingMessage): Promise<Answer | { error: string }> => {
    try {
      const command = v.safeParse(Command, await readAll(incoming));
      return command.success ? await runCommand(parts, command.output.args) : MALFORMED;
    } catch (error) {
      if (isForOperator(error)) return { error: error.message };
      log.error({ err: error }, 'a command of the operator failed');
      return { error: 'The command failed; the log of the server says why.' };
    }
  };
  const lender = new CopyLender(services);
  await lender.sweep();
  const server = createServer((incoming, response) => {
    if (incoming.url === COPY_PATH) return lender.lend(response);
    void answer(incoming).then((reply) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
    });
  });
  // Input that is not HTTP.
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return;
    const body = JSON.stringify(MALFORMED);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  try {
    checkLength(path);
    // Only a killed server can have left a socket: this server has locked the data directory.
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve);
    });
    await chmod(path, 0o600);
  } catch (error) {
    server.close();
    log.warn({ err: error }, 'npm run admin cannot reach this server: its socket could not be made');
    return;
  }
  closing.add('http', 'commands of the operator', async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    await lender.ended();
  });
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    length += piece.byteLength;
    if (length > BODY_MAX_BYTES) throw new OperatorError('The command is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Sends a command to the server of a data directory. @throws OperatorError, also if no server runs */
export async function askServer(dataDir: string, args: readonly string[]): Promise<Answer> {
  const path = socketOf(dataDir);
  checkLength(path);
  const reply = v.parse(Reply, JSON.parse(await send(path, JSON.stringify({ args }))));
  if ('error' in reply) throw new OperatorError(reply.error);
  return reply;
}

const send = (socketPath: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method: 'POST', path: '/' }, (incoming) => {
      readReply(incoming).then(resolve, reject);
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => reject(new OperatorError(unreachable(error, socketPath))));
    outgoing.end(body);
  });

async function readReply(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** Why the socket cannot be reached, in words. */
export function unreachable({ code, message }: NodeJS.ErrnoException, path: string): string {
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return `No server is running with this data directory (${path} does not answer). Start it with npm start, or set DATA_DIR to the one it uses.`;
  if (code === 'EACCES') return `${path} belongs to another user. Run this as the user of the server.`;
  return `The server cannot be reached at ${path}: ${message}.`;
}
