/** Fields that several resources share. */
import * as v from 'valibot';

/** A UUID, converted to lower case so that each has one spelling. */
export const Uuid = v.pipe(
  v.string(),
  v.uuid(),
  v.transform((id) => id.toLowerCase()),
);
const YEAR_ONE = Date.parse('0001-01-01T00:00:00Z');
/** ISO 8601, UTC, from the year 1 on. Refuses forms that `Date` cannot read, and the year 0, which databases lack. */
export const Timestamp = v.config(
  v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.check((text) => Date.parse(text) >= YEAR_ONE, 'Must be a time such as 2026-04-28T09:00:00Z.'),
  ),
  { abortPipeEarly: true },
);

/** An amount in US dollars as a decimal text; null if there is no price. */
export const Cost = v.nullable(v.pipe(v.string(), v.regex(/^\d+(\.\d+)?$/)));

/** A path of this site with its query. Begins with one slash: browsers read `//` and `/\` as the start of a host. */
export const OwnPath = v.pipe(
  v.string(),
  v.maxLength(2048),
  v.regex(/^\/(?![/\\])[^\t\n\r\\]*$/, 'Must be a path of this site.'),
);

export const NAME_MAX = 100;
export const CONTACT_EMAIL_MAX = 60;
export const DESCRIPTION_MAX = 1024;
/** Rows per page of every list of the console. */
export const PAGE_SIZE = 50;
/** Largest page of the speech API, and its default. */
export const PAGE_SIZE_MAX = 1000;

/** The `limit` of a list's query, from 1 to `max`. Every error message names this range. */
export const pageLimit = (max: number) => {
  const range = `limit must be between 1 and ${max}.`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, range),
    v.transform(Number),
    v.number(),
    v.minValue(1, range),
    v.maxValue(max, range),
  );
};

/** Query of a cursor-paged list; an empty cursor means the first page. */
export const PageQuery = v.object({ limit: v.optional(pageLimit(PAGE_SIZE_MAX)), cursor: v.optional(v.string()) });
