/** Sends many numbers of a group in one text field: as thousands of rows they take longer to transfer than to sum. */
import { sql, type RawBuilder } from 'kysely';

/** Aggregates integers into a list. All lists of one query and group have the same order. */
export const listed = (of: RawBuilder<unknown>): RawBuilder<string> => sql`string_agg(coalesce(${of}::text, ''), ',')`;

/** The numbers of a list; null for null. */
export const numbersIn = (list: string): (number | null)[] =>
  list.split(',').map((text) => (text === '' ? null : Number(text)));

/**
 * A timestamp in whole milliseconds. `date_part` counts in floats; `extract`, in decimals, takes several times as long.
 */
export const msOf = (moment: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(date_part('epoch', ${moment}) * 1000)::bigint`;
