/** A process of its own: begins an upload into a directory, says so when its first bytes are written, and waits for the rest. */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { openLocalStorage } from '#server/platform/storage/local.ts';

const directory = process.argv[2] ?? '';
const storage = await openLocalStorage({ directory, isShared: true });
const body = new Readable({ read() {} });
body.push('first half');
const id = randomUUID();
const put = storage.put(id, body);
const isWritten = async (): Promise<boolean> => {
  const name = (await readdir(directory)).find((each) => each.startsWith(id));
  return name !== undefined && (await stat(join(directory, name))).size > 0;
};
while (!(await isWritten())) await setTimeout(20);
process.stdout.write(`${id}\n`);
process.stdin.once('data', () => {
  body.push(', second half');
  body.push(null);
});
await put;
process.stdout.write('stored\n');
process.exit(0);
