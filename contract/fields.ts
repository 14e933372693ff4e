import * as v from 'valibot';

/** Building blocks that several resources share. */
/** In lower case, however it is written: as text each has one form. */
export const Uuid = v.pipe(
  v.string(),
  v.uuid(),
  v.transform((id) => id.toLowerCase()),
);
const YEAR_ONE = Date.parse('0001-01-01T00:00:00Z');
/** ISO 8601, UTC, from the year 1 on. ISO knows forms that `Date` cannot read, and a year 0, which databases don't; they are refused. */
export const Timestamp = v.config(
  v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.check((text) => Date.parse(text) >= YEAR_ONE, 'Must be a time such as 2026-04-28T09:00:00Z.'),
  ),
  { abortPipeEarly: true },
);

/** An amount in US dollars as a decimal text; null where there is no price. */
export const Cost = v.nullable(v.pipe(v.string(), v.regex(/^\d+(\.\d+)?$/)));

/** A path of this site with its query: one slash at its start, no second one and no backslash, which browsers read as one. */
export const OwnPath = v.pipe(
  v.string(),
  v.maxLength(2048),
  v.regex(/^\/(?![/\\])[^\t\n\r\\]*$/, 'Must be a path of this site.'),
);

export const NAME_MAX = 100;
export const CONTACT_EMAIL_MAX = 60;
export const DESCRIPTION_MAX = 1024;
/** Rows per page of every list of the console (spec §9). */
export const PAGE_SIZE = 50;
/** The most rows that the speech API hands out at once; also its default. */
export const PAGE_SIZE_MAX = 1000;

/** A count of rows in the query of any list, from 1 to `max`: whatever else it is, the refusal names the range. */
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
