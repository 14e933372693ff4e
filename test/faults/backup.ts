/** Backups that tests take and restore, on the database that they run on. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdminSocket } from '#server/app/admin/socket.ts';
import { takeBackup, type Taking } from '#server/app/backup/take.ts';
import { restoreBackup } from '#server/app/backup/restore.ts';
import type { Content } from '#server/app/backup/format.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { loadConfig } from '#server/platform/config.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { databaseKind, freshSettings } from '../server/databases.ts';
import { testFolder } from '../server/template.ts';
import { SHORT_LIVED } from '../short-lived.ts';
import { startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';

export type Settings = Record<string, string> & { DATA_DIR: string };
const SECRET_KEY = 'k'.repeat(40);
export const newFolder = (name: string): string => mkdtempSync(join(testFolder, `${name}-`));

/** A place for a server, with a database that has tables and no rows. */
export const newPlace = async (): Promise<Settings> => ({ ...(await freshSettings()), SECRET_KEY });

/** A place for what is restored. */
export async function emptyPlace(): Promise<Settings> {
  const settings = await newPlace();
  if (databaseKind === 'embedded') await rm(join(settings.DATA_DIR, 'database'), { recursive: true });
  return settings;
}

/** A server as it runs for others: what it has can be backed up. */
export async function serve(settings: Settings): Promise<SpeechServer> {
  const server = await startSpeechServer({
    engine: { auto: true },
    server: { env: settings, overrides: { database: await openDatabase(loadConfig(settings)) } },
  });
  if (databaseKind === 'embedded') await openAdminSocket(server.services, LIMIT_DEFAULTS);
  return server;
}

export const backUp = (settings: Settings, to: string, taking: Partial<Taking> = {}): Promise<Content> =>
  takeBackup(loadConfig(settings), to, { say: () => undefined, ...taking });

export const restore = (
  settings: Settings,
  from: string,
  options: { mayReplace?: boolean; isMoved?: boolean; say?: (line: string) => void } = {},
): Promise<Content> => restoreBackup(loadConfig(settings), from, { say: () => undefined, ...options });

/** A program of the operator as a process of its own. */
export function program(
  name: 'backup' | 'restore',
  settings: Settings,
  ...args: string[]
): { child: ChildProcess; said: Promise<{ code: number | null; out: string; error: string }> } {
  const child = spawn(
    process.execPath,
    [...SHORT_LIVED, '--import', 'tsx', `server/app/backup/${name}-entry.ts`, ...args],
    {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [out, error] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString('utf8')));
  child.stderr.on('data', (piece: Buffer) => (error += piece.toString('utf8')));
  return {
    child,
    said: new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, out, error }));
    }),
  };
}
