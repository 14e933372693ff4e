/** Many numbers of a group in one field: as rows, thousands of them take longer to travel than to be summed. */
import { sql, type RawBuilder } from 'kysely';

/** An aggregate of integers; those of one query and group are in the same order. */
export const listed = (of: RawBuilder<unknown>): RawBuilder<string> => sql`string_agg(coalesce(${of}::text, ''), ',')`;

/** The numbers of such a list; null where there was none. */
export const numbersIn = (list: string): (number | null)[] =>
  list.split(',').map((text) => (text === '' ? null : Number(text)));

/** A moment as milliseconds, a whole number. As a float: `extract` counts in decimals, which takes several times as long. */
export const msOf = (moment: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(date_part('epoch', ${moment}) * 1000)::bigint`;
