/** Lends a copy of the embedded database to `npm run backup`, because only the server can open the database itself. */
import { realpath, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Services } from '../../platform/context.ts';
import { DATABASE_COPY, DATABASE_FOLDER } from '../../platform/data-dir.ts';
import { copyRunning } from '../../platform/db/hot-copy.ts';
import { HOLD_ON, LET_GO } from '../../platform/storage/hold.ts';

/** Path on the admin socket. The answer is one line of JSON once the copy exists, and stays open while it is lent. */
export const COPY_PATH = '/copy';

type Parts = Pick<Services, 'config' | 'db' | 'log'>;

/** Lends one copy at a time. */
export class CopyLender {
  readonly #parts: Parts;
  readonly #folder: string;
  #lent: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#folder = join(parts.config.dataDir, DATABASE_COPY);
  }

  /** Removes the copy, also one that a killed server has left. */
  sweep(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** Makes the copy, and keeps it and all recordings until either side closes the connection. */
  lend(response: ServerResponse): void {
    response.setHeader('content-type', 'application/x-ndjson');
    // The client may be gone before the answer.
    response.on('error', () => undefined);
    const send = (line: { folder: string } | { error: string }): void =>
      void response.write(`${JSON.stringify(line)}\n`);
    if (this.#lent !== undefined) {
      send({ error: 'Another backup is running.' });
      response.end();
      return;
    }
    this.#lent = this.#lendOut(response, send)
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'the database could not be copied for a backup');
        const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
        send({
          error: isFull
            ? `A backup needs a copy of the database, and the disk of ${this.#folder} has no room for one.`
            : 'The server could not copy its database; its log says why.',
        });
      })
      .finally(() => {
        this.#lent = undefined;
        response.end();
      });
  }

  async #lendOut(response: ServerResponse, send: (line: { folder: string }) => void): Promise<void> {
    const { config, db, log } = this.#parts;
    const closed = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    await HOLD_ON.execute(db);
    try {
      const from = performance.now();
      await copyRunning(db, await realpath(join(config.dataDir, DATABASE_FOLDER)), this.#folder);
      log.info({ ms: Math.round(performance.now() - from) }, 'the database was copied for a backup');
      if (response.destroyed) return;
      send({ folder: this.#folder });
      await closed;
    } finally {
      await LET_GO.execute(db);
      await this.sweep();
    }
  }

  /** Resolves once no copy is lent. Close all connections first. */
  async ended(): Promise<void> {
    await this.#lent;
  }
}
