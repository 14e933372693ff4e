import { PAGE_SIZE } from '#contract/fields.ts';
import { type EarlyCall, mainBearer, speechBearer } from './calls.ts';

const PLAYGROUND = /^\/org\/[^/]+\/projects\/([^/]+)\/playground\//;

/**
 * What the console reads first at an address, the same for every screen and more for the playground. What is missing
 * here only costs time, and what is too much a call: `test/journeys/start.journey.ts` holds it against what is asked for.
 * @param speechBaseUrl of the page settings; empty means the page's own origin
 */
export function firstCalls(page: URL, speechBaseUrl: string, access: string): EarlyCall[] {
  const main = `${page.origin}/api/v2/user/`;
  const calls = [main, `${main}organizations/`].map((url) => ({ url, authorization: mainBearer(access) }));
  const project = PLAYGROUND.exec(page.pathname)?.[1];
  if (project === undefined) return calls;
  const speech = (speechBaseUrl || page.origin).replace(/\/+$/, '');
  for (const path of ['models', `files?limit=${PAGE_SIZE}`, `transcriptions?limit=${PAGE_SIZE}`])
    calls.push({ url: `${speech}/v1/${path}`, authorization: speechBearer(project, access) });
  return calls;
}
