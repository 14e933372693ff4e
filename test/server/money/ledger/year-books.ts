/** What the script of a year keeps by itself, and what an auditor's SQL reads: both as the same list of sums. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from '#server/platform/db/database.ts';

export const KINDS = [
  ...(['payments', 'refunds', 'failed_refunds', 'disputes', 'disputes_won', 'fees', 'credits', 'corrections'] as const),
  ...(['usage', 'test_money'] as const),
];
export type Kind = (typeof KINDS)[number];

/** What a provider, an operator or a request has moved; micro-USD, signed. */
export interface Line {
  organization: string;
  /** As 2031-04. */
  month: string;
  kind: Kind;
  micros: number;
}

/** Sums by kind, and the balance that they leave. */
type Sums = Partial<Record<Kind | 'balance', number>>;
/** By organization and month, as `ORG 2031-04`; `ORG in sum`; and `all in sum`. */
export type Year = Record<string, Sums>;

export const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { micros }) => sum + micros, 0);

/** The sums of what was kept. */
export function addUp(lines: readonly Line[]): Year {
  const year: Year = { 'all in sum': sumsOf(lines) };
  for (const organization of new Set(lines.map((line) => line.organization))) {
    const own = lines.filter((line) => line.organization === organization);
    year[`${organization} in sum`] = sumsOf(own);
    for (const month of new Set(own.map((line) => line.month)))
      year[`${organization} ${month}`] = {
        ...sumsOf(own.filter((line) => line.month === month)),
        balance: sumOf(own.filter((line) => line.month <= month)),
      };
  }
  return year;
}

const sumsOf = (lines: readonly Line[]): Sums => ({
  ...Object.fromEntries(
    KINDS.map((kind) => lines.filter((line) => line.kind === kind))
      .filter(([first]) => first !== undefined)
      .map((of) => [of[0]?.kind, sumOf(of)]),
  ),
  balance: sumOf(lines),
});

const text = readFileSync(join(import.meta.dirname, 'year.sql'), 'utf8');
export const sqlLines = text.trimEnd().split('\n').length;
const [SUMS = '', WRONGS = ''] = text.split(/;\n/);

/** What the tables say, by the auditor's first statement. */
export async function readYear(db: Db): Promise<Year> {
  const { rows } = await sql.raw<Record<string, string | number | null>>(SUMS).execute(db);
  return Object.fromEntries(
    rows.map(({ organization, month, ...sums }) => [
      `${organization ?? 'all'} ${month ?? 'in sum'}`,
      Object.fromEntries(
        Object.entries(sums).flatMap(([kind, micros]) => (micros === null ? [] : [[kind, Number(micros)]])),
      ),
    ]),
  );
}

/** What does not fit, by the auditor's second statement: `what which: expected, found`. */
export async function readWrongs(db: Db): Promise<string[]> {
  const { rows } = await sql
    .raw<{ what: string; which: string; expected: string | null; found: string | null }>(WRONGS)
    .execute(db);
  return rows.map(({ what, which, expected, found }) => `${what} ${which}: ${expected ?? 'none'}, ${found ?? 'none'}`);
}
