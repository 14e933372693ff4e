/** The recognizer's figures on both runtimes: CPU time per audio second, live streams held and how soon words come, memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import type { RuntimeName } from '#server/engine/recognizer/ort.ts';
import type { Row } from './row.ts';

const RUNTIMES: readonly RuntimeName[] = ['native', 'wasm'];
const HALVES = ['files', 'streams'];
const Rows = v.array(
  v.object({
    name: v.string(),
    value: v.number(),
    unit: v.string(),
    budget: v.exactOptional(v.string()),
    ok: v.boolean(),
  }),
);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const script = fileURLToPath(new URL('./recognizer-runtime.ts', import.meta.url));
  for (const [name, half] of RUNTIMES.flatMap((runtime) => HALVES.map((part) => [runtime, part] as const))) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, name, half], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    rows.push(...v.parse(Rows, JSON.parse(stdout)));
  }
  return rows;
}
