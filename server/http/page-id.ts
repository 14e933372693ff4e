import { PAGE_HEADER, PageId } from '#contract/session.ts';
import type { HonoRequest } from 'hono';
import * as v from 'valibot';

/** The id of the page of the console that sends a request; undefined for other clients, and if it has another form. */
export function pageIdOf(request: HonoRequest): string | undefined {
  const given = request.header(PAGE_HEADER);
  return v.is(PageId, given) ? given : undefined;
}
