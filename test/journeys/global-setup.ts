/** Makes the data directory that every journey's server starts from: migrated, with the demo account and its samples. */
import { mkdirSync, rmSync } from 'node:fs';
import { ConsoleServer, TEMPLATE } from './server.ts';

export default async function setUp(): Promise<void> {
  rmSync(TEMPLATE, { recursive: true, force: true });
  mkdirSync(TEMPLATE, { recursive: true });
  const server = await ConsoleServer.launch({ directory: TEMPLATE });
  await server.stop();
}
