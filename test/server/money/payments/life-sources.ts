/** Which sources of the server write the states of payments and of autopay, and which name them instead of reading the tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAYMENTS } from '#server/money/ledger/life.ts';
import { AUTOPAY } from '#server/money/ledger/autopay-life.ts';

/** Texts by their paths in `server/`. */
export type Sources = ReadonlyMap<string, string>;

export function readSources(): Sources {
  const root = join(import.meta.dirname, '../../../../server');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => file.endsWith('.ts') && !file.includes('migrations'));
  return new Map(own.toSorted().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Whether a statement changes one of the columns: by the query builder, also by a constant that has them, or in raw SQL. */
export function writersOf(sources: Sources, table: string, columns: readonly string[]): string[] {
  const column = `(?:${columns.join('|')})`;
  const constant = new RegExp(`const (\\w+)[^=;]* = \\{[^{}]*\\b${column}:`, 'g');
  const constants = [...sources.values()].flatMap((text) => [...text.matchAll(constant)].map(([, name]) => name));
  const keys = [`(?<![.\\w])${column}\\s*[:,}]`, ...constants.map((name) => `\\b${name}\\b`)].join('|');
  const patterns = [
    `\\b(?:updateTable|mergeInto)\\('${table}\\b[^;]*?(?:${keys}|\\.set\\(\\s*'${column}')`,
    `\\binsertInto\\('${table}\\b[^;]*?doUpdateSet\\([^;]*?(?:${keys})`,
    `\\b(?:update|insert into|merge into)\\s+(?:only\\s+)?"?${table}\\b[^;\`]*?(?:\\bset|,)\\s*"?${column}"?\\s*=`,
    `\\b(?:update|insert into|merge into)\\s+(?:only\\s+)?"?${table}\\b[^;\`]*?\\bset\\s*\\([^)]*\\b${column}\\b`,
  ].map((pattern) => new RegExp(pattern, 'is'));
  return filesWith(sources, patterns);
}

const NAMES = [
  ...new Set([...Object.values(PAYMENTS).flatMap((moves) => Object.keys(moves)), ...Object.keys(AUTOPAY)]),
].join('|');

/** Whether a rule, a query or a new row names a state, or why autopay is held. */
export function namersOf(sources: Sources): string[] {
  const patterns = [
    `\\b(?:state|why)"?\\s*(?:=|<>|!=|(?:not\\s+)?in\\s*\\(|is (?:not )?distinct from)\\s*'(?:${NAMES})'`,
    `'(?:\\w+\\.)?(?:state|(?:error_)?why)',\\s*'[^']+',\\s*\\[?\\s*'(?:${NAMES})'`,
    `\\bstate\\)?\\s*[!=]==\\s*'(?:${NAMES})'`,
    `\\bstate:\\s*'(?:${NAMES})'`,
  ].map((pattern) => new RegExp(pattern, 'is'));
  return filesWith(sources, patterns);
}

const filesWith = (sources: Sources, patterns: readonly RegExp[]): string[] =>
  [...sources].filter(([, text]) => patterns.some((pattern) => pattern.test(text))).map(([file]) => file);
