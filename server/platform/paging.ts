import type * as v from 'valibot';
import { PAGE_SIZE_MAX, type PageQuery } from '#contract/fields.ts';
import { Refusal } from './refusal.ts';

/** One page of a list, newest first. */
export interface Page {
  limit: number;
  /** The page has rows before this position; null for the first page. */
  before: number | null;
}

/** The page that a query asks for. @throws Refusal invalid_cursor */
export const pageOf = ({ limit = PAGE_SIZE_MAX, cursor }: v.InferOutput<typeof PageQuery>): Page => ({
  limit,
  before: cursor ? decodeCursor(cursor) : null,
});

/** The rows of a page, and the next page's cursor; null on the last. @param rows one more than the page has, if any */
export function cutPage<Row extends { position: number }>(
  rows: readonly Row[],
  { limit }: Page,
): { rows: Row[]; next_page_cursor: string | null } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { rows: kept, next_page_cursor: rows.length > limit && last ? encodeCursor(last.position) : null };
}

/** Encodes a position. A cursor stays valid if its row is deleted. */
const encodeCursor = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

/** @throws Refusal invalid_cursor */
function decodeCursor(cursor: string): number {
  const [, digits] = /^p(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const position = Number(digits);
  if (digits === undefined || encodeCursor(position) !== cursor) throw invalidCursor();
  return position;
}

/** A place in a list ordered by time. `position` orders rows of the same millisecond. */
export interface Place {
  /** Milliseconds since the epoch. */
  at: number;
  position: number;
}

/** @param letter identifies the list, so that it refuses cursors of other lists */
export const encodePlace = (letter: string, { at, position }: Place): string =>
  Buffer.from(`${letter}${at}.${position}`).toString('base64url');

/** @throws Refusal invalid_cursor */
export function decodePlace(letter: string, cursor: string): Place {
  const [, at, position] = /^.(\d{1,13})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const place = { at: Number(at), position: Number(position) };
  if (at === undefined || encodePlace(letter, place) !== cursor) throw invalidCursor();
  return place;
}

const invalidCursor = (): Refusal => new Refusal('invalid', 'invalid_cursor', 'Cursor is not valid.');
