/**
 * Runs the embedded Postgres in a thread of its own, so that a long query does not delay live audio in the main thread.
 */
import { PGlite, types } from '@electric-sql/pglite';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { OneMessageQueries } from './one-message.ts';
import { PrivateFolder } from './private-folder.ts';
import type { TransferredError, WorkerMessage, WorkerRequest } from './protocol.ts';

const setup = v.parse(v.object({ directory: v.optional(v.string()) }), workerData);
const port = parentPort;
if (port === null) throw new Error('db-worker runs only as a worker thread.');

const say = (message: WorkerMessage): void => port.postMessage(message);

function transferable(error: unknown): TransferredError {
  if (!(error instanceof Error)) return { message: String(error) };
  const field = (name: string): string | undefined => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    message: error.message,
    code: field('code'),
    detail: field('detail'),
    constraint: field('constraint'),
    table: field('table'),
    column: field('column'),
  };
}

// Return int8 as number (money stays under 2^53) and date as text, like the driver of an outside PostgreSQL.
const parsers = { [types.INT8]: (value: string) => Number(value), [types.DATE]: (value: string) => value };

try {
  const database = await PGlite.create({
    ...(setup.directory === undefined ? {} : { dataDir: setup.directory, fs: new PrivateFolder(setup.directory) }),
    parsers,
  });

  const statements = new OneMessageQueries(database);
  const answer = async (request: WorkerRequest): Promise<void> => {
    try {
      if (request.kind === 'query') {
        say({ kind: 'done', id: request.id, ...(await statements.query(request.sql, request.parameters)) });
      } else if (request.kind === 'listen') {
        const { channel } = request;
        await database.listen(channel, (payload) => say({ kind: 'notification', channel, payload }));
        say({ kind: 'done', id: request.id, rows: [], affected: 0 });
      } else {
        await database.close();
        say({ kind: 'done', id: request.id, rows: [], affected: 0 });
        port.close();
      }
    } catch (error) {
      say({ kind: 'refused', id: request.id, error: transferable(error) });
    }
  };

  port.on('message', (request: WorkerRequest) => void answer(request));
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'failed', error: transferable(error) });
  port.close();
}
