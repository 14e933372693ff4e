/** Lends a copy of the embedded database, which nobody else can open, to whoever makes a backup. */
import { realpath, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Services } from '../../platform/context.ts';
import { DATABASE_COPY, DATABASE_FOLDER } from '../../platform/data-dir.ts';
import { copyRunning } from '../../platform/db/hot-copy.ts';
import { HOLD_ON, LET_GO } from '../../platform/storage/hold.ts';

/** Of the socket of commands. Its answer is a line when the copy is there, and ends when it is no longer lent. */
export const COPY_PATH = '/copy';

type Parts = Pick<Services, 'config' | 'db' | 'log'>;

/** One at a time. */
export class CopyLender {
  readonly #parts: Parts;
  readonly #folder: string;
  #lent: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#folder = join(parts.config.dataDir, DATABASE_COPY);
  }

  /** Removes what a server has left that was killed. */
  sweep(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** Makes the copy, and keeps it and all recordings until the connection closes, by whichever side. */
  lend(response: ServerResponse): void {
    response.setHeader('content-type', 'application/x-ndjson');
    // Whoever asked may be gone before it is told something.
    response.on('error', () => undefined);
    const say = (line: { folder: string } | { error: string }): void =>
      void response.write(`${JSON.stringify(line)}\n`);
    if (this.#lent !== undefined) {
      say({ error: 'Another backup is being made just now.' });
      response.end();
      return;
    }
    this.#lent = this.#lendOut(response, say)
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'the database could not be copied for a backup');
        const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
        say({
          error: isFull
            ? `The disk of ${this.#folder} has no room for a copy of the database, which a backup needs.`
            : 'The server failed to copy its database; its log says why.',
        });
      })
      .finally(() => {
        this.#lent = undefined;
        response.end();
      });
  }

  async #lendOut(response: ServerResponse, say: (line: { folder: string }) => void): Promise<void> {
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
      say({ folder: this.#folder });
      await closed;
    } finally {
      await LET_GO.execute(db);
      await this.sweep();
    }
  }

  /** Once all connections are closed. */
  async ended(): Promise<void> {
    await this.#lent;
  }
}
