/** An organization with a past: what its projects used and what was paid, over two months. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signInByApi } from './account.ts';
import { call, createOrganization, createProject } from './people.ts';
import { ConsoleServer, copyTemplate, templateDirectory } from './server.ts';

/** The last of them is deleted. */
export const PROJECTS = ['Call notes', 'Meetings', 'Old tests'] as const;

type Place = { orgUuid: string; projects: readonly string[] };
export type Billed = Place & { server: ConsoleServer };

/** A server with it; dispose of it when done. */
export async function launchBilled(): Promise<Billed> {
  const made = await billedTemplate();
  const directory = mkdtempSync(join(tmpdir(), 'parlance-'));
  cpSync(join(made, 'data'), directory, { recursive: true });
  const place = JSON.parse(readFileSync(join(made, 'place.json'), 'utf8')) as Place;
  return { ...place, server: await ConsoleServer.launch({ directory }) };
}

/** The folder with its data directory: the first process of a run that needs it makes it, the others wait. */
export async function billedTemplate(): Promise<string> {
  const folder = `${templateDirectory()}-billed`;
  const done = join(folder, 'place.json');
  while (!existsSync(done)) {
    try {
      mkdirSync(folder);
    } catch {
      await pause(100);
      continue;
    }
    try {
      const { directory, place } = await make();
      cpSync(directory, join(folder, 'data'), { recursive: true });
      rmSync(directory, { recursive: true, force: true });
      writeFileSync(done, JSON.stringify(place));
    } catch (error) {
      // The next one tries again.
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  return folder;
}

async function make(): Promise<{ directory: string; place: Place }> {
  const directory = copyTemplate();
  const server = await ConsoleServer.launch({ directory });
  const owner = await signInByApi(server.url);
  const orgUuid = await createOrganization(server.url, owner, 'Billed');
  const projects: string[] = [];
  for (const name of PROJECTS) projects.push(await createProject(server.url, owner, orgUuid, name));
  await server.stop();
  const script = fileURLToPath(new URL('write-billed.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, directory, orgUuid, ...projects], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  await server.start();
  await call(server.url, owner, 'DELETE', `projects/${projects.at(-1)}/`);
  await server.stop();
  return { directory, place: { orgUuid, projects } };
}
