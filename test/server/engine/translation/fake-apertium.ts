/** A home of Apertium with made-up programs: each answers with the text in capitals, and misbehaves when the text says so. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FakeApertium {
  home: string;
  path: string;
  /** Process ids of the programs started so far. */
  started(): number[];
  remove(): void;
}

const PROGRAM = (folder: string): string => `#!${process.execPath}
const fs = require('node:fs');
fs.appendFileSync(${JSON.stringify(join(folder, 'started'))}, process.pid + '\\n');
if (process.argv[2] !== '-z') process.exit(3);
fs.writeFileSync(${JSON.stringify(join(folder, 'environment'))}, JSON.stringify(process.env));
let held = '';
process.stdin.setEncoding('utf8').on('data', (data) => {
  held += data;
  let end;
  while ((end = held.indexOf('\\0')) !== -1) {
    const text = held.slice(0, end);
    held = held.slice(end + 1);
    const once = ${JSON.stringify(join(folder, 'crashed'))};
    if (text.includes('crash always') || (text.includes('crash once') && !fs.existsSync(once))) {
      fs.writeFileSync(once, '');
      process.exit(1);
    }
    if (text.includes('hang')) { setTimeout(() => process.exit(), 15_000); continue; }
    if (text.includes('babble')) process.stdout.write('one\\0two\\0');
    else if (text.includes('misplace')) process.stdout.write(text.replace(/\\[\\d+\\]/, '[0]') + '\\0');
    else if (text.includes('forget')) process.stdout.write(text.replace(/Qz\\w+x/g, 'it') + '\\0');
    else process.stdout.write(text.replace(/Qz\\w+x|\\p{L}/gu, (part) => (part.startsWith('Qz') && part.length > 1 ? part : part.toUpperCase())) + '\\0');
  }
});
`;

/** @param modes file names without `.mode`, with what they hold; by default two stages of the made-up program */
export function fakeApertium(modes: Record<string, string | undefined>): FakeApertium {
  const home = mkdtempSync(join(tmpdir(), 'parlance-apertium-'));
  mkdirSync(join(home, 'modes'));
  const path = join(home, 'bin');
  mkdirSync(path);
  writeFileSync(join(path, 'lt-proc'), PROGRAM(home));
  chmodSync(join(path, 'lt-proc'), 0o755);
  for (const [name, content] of Object.entries(modes))
    writeFileSync(join(home, 'modes', `${name}.mode`), content ?? 'lt-proc $1 | lt-proc -b $2\n');
  const log = join(home, 'started');
  return {
    home,
    path,
    started: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : []),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
