import { PAGE_SIZE } from '#contract/fields.ts';

/** The query for a page of a list; null asks for the first. */
export const pageAt = (cursor: string | null) => ({ limit: String(PAGE_SIZE), cursor: cursor ?? undefined });
