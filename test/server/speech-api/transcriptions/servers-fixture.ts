/** Servers that come and go on one database and one directory, and their queue of two transcriptions. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type ServiceOverrides, type Services } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { createSpeechServices, type SpeechServices } from '#server/speech-api/services.ts';
import { startSpeechApi, type SpeechStart } from '#server/speech-api/start.ts';
import { borrowDatabase, freshSettings, type BorrowedDatabase } from '../../databases.ts';
import { createFakeDecoder, createFakeEngine, type FakeEngineScript } from '../../fake-engine.ts';
import { onLoopback } from '../../outgoing-servers.ts';
import { testFolder } from '../../template.ts';

const STUCK_SERVER = join(projectRoot, 'test/server/speech-api/transcriptions/stuck-server.ts');

/** For each test of a file anew. */
export function serversInTurn(jobs: NonNullable<SpeechStart['jobs']>) {
  let settings: Record<string, string>;
  let database: BorrowedDatabase;
  const open: Services[] = [];
  const services = async (overrides: ServiceOverrides = {}): Promise<Services> => {
    const made = await createServices(loadConfig({ PORT: '0', ...settings }), {
      log: createLog('silent'),
      clock: () => new Date(Date.now() + turn.ahead),
      // Servers on the disk open their own.
      ...(!turn.isOnDisk && { database: database.open() }),
      ...overrides,
    });
    open.push(made);
    await storePrices(made.db, made.config.prices, made.clock);
    return made;
  };
  const parts = (script?: FakeEngineScript) => ({ engine: createFakeEngine(script), decoder: createFakeDecoder() });
  const turn = {
    /** How far the clock is turned, milliseconds. */
    ahead: 0,
    isOnDisk: false,
    start: async (script?: FakeEngineScript, overrides?: ServiceOverrides): Promise<SpeechServices> =>
      startSpeechApi(await services(overrides), parts(script), { jobs, outgoing: { allow: onLoopback } }),
    /** One without workers. */
    queueOnly: async (): Promise<SpeechServices> => createSpeechServices(await services(), parts()),
    /** From now on each server is on the disk, where whole processes can be, too. */
    async useDisk(): Promise<void> {
      await rm(settings['DATA_DIR']!, { recursive: true });
      settings = await freshSettings();
      turn.isOnDisk = true;
    },
    /** Starts a process with a server that is stuck in its first job, and kills it there. */
    async killAtWork(): Promise<void> {
      const flag = join(settings['DATA_DIR']!, 'at-work');
      await rm(flag, { force: true });
      const env = { ...process.env, ...settings };
      const child = spawn(process.execPath, ['--import', 'tsx', STUCK_SERVER], {
        cwd: projectRoot,
        env,
        stdio: 'ignore',
      });
      const exited = new Promise((resolve) => child.once('exit', resolve));
      try {
        // On a busy machine a process takes its time to start.
        await vi.waitFor(() => expect(existsSync(flag)).toBe(true), { timeout: 60_000, interval: 50 });
      } finally {
        child.kill('SIGKILL');
        await exited;
      }
    },
  };
  beforeEach(async () => {
    settings = { DATA_DIR: await mkdtemp(join(testFolder, 'turn-')) };
    database = await borrowDatabase();
    Object.assign(turn, { ahead: 0, isOnDisk: false });
  });
  afterEach(async () => {
    for (const made of open.splice(0)) await made.closing.run();
    await database.giveBack();
    await rm(settings['DATA_DIR']!, { recursive: true, force: true });
  });
  return turn;
}

/** Of all transcriptions, in order. */
export const statuses = async ({ db }: Services): Promise<string[]> =>
  (await db.selectFrom('transcriptions').select('status').orderBy('position').execute()).map(({ status }) => status);
