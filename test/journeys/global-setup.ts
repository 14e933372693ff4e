/** Makes the data directory that every journey's server starts from: migrated, with the demo account and its samples. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleServer, TEMPLATE_VARIABLE } from './server.ts';

export default async function setUp(): Promise<() => void> {
  const template = mkdtempSync(join(tmpdir(), 'parlance-template-'));
  const server = await ConsoleServer.launch({ directory: template });
  await server.stop();
  process.env[TEMPLATE_VARIABLE] = template;
  return () => rmSync(template, { recursive: true, force: true });
}
