/**
 * The peers of a comparison, as a process of their own: `upload` is a plain Node server that writes every body to a file,
 * `rest` a bare Hono handler with as much to send as a short list. Prints its port.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const directory = mkdtempSync(join(tmpdir(), 'parlance-peer-'));
let uploads = 0;

async function write(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = join(directory, String((uploads += 1)));
  await pipeline(request, createWriteStream(file, { highWaterMark: 1 << 20 }));
  // As durable as ours: written to the disk before it is answered.
  const written = await open(file);
  await written.sync();
  await written.close();
  rmSync(file);
  response.writeHead(201).end('{}');
}

const answer = { files: [], next_page_cursor: null };
const hono = new Hono()
  .get('*', (c) => c.json(answer))
  .post('*', async (c) => c.json({ received: await c.req.json<unknown>() }, 201));

const handle = process.argv[2] === 'upload' ? write : getRequestListener(hono.fetch);
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
});
