import { PAGE_SIZE } from '#contract/fields.ts';
import { type EarlyCall, mainBearer, speechBearer } from './calls.ts';

/** By this the session's chart decides, before anything shows (SES-10). */
export const verification = ({ origin }: URL, access: string): EarlyCall => ({
  method: 'post',
  url: `${origin}/api/v2/token/verify/`,
  authorization: mainBearer(access),
  json: { token: access },
});

const PLAYGROUND = /^\/org\/[^/]+\/projects\/([^/]+)\/playground\//;

/**
 * What the console reads first at an address, the same for every screen and more for the playground. What is missing
 * here only costs time, and what is too much a call: `test/journeys/start.journey.ts` holds it against what is asked for.
 * @param speechBaseUrl of the page settings; empty means the page's own origin
 */
export function firstCalls(page: URL, speechBaseUrl: string, access: string): EarlyCall[] {
  const main = `${page.origin}/api/v2/user/`;
  const calls: EarlyCall[] = [main, `${main}organizations/`].map((url) => ({
    method: 'get',
    url,
    authorization: mainBearer(access),
  }));
  const project = PLAYGROUND.exec(page.pathname)?.[1];
  if (project === undefined) return calls;
  const speech = (speechBaseUrl || page.origin).replace(/\/+$/, '');
  for (const path of ['models', `files?limit=${PAGE_SIZE}`, `transcriptions?limit=${PAGE_SIZE}`])
    calls.push({ method: 'get', url: `${speech}/v1/${path}`, authorization: speechBearer(project, access) });
  return calls;
}
