import { PAGE_SIZE } from '#contract/fields.ts';
import { type EarlyCall, mainBearer, speechBearer } from './calls.ts';

/** The check of the stored session, by which its chart decides (SES-10). */
export const verification = ({ origin }: URL, access: string): EarlyCall => ({
  method: 'post',
  url: `${origin}/api/v2/token/verify/`,
  authorization: mainBearer(access),
  json: { token: access },
});

const PLAYGROUND = /^\/org\/[^/]+\/projects\/([^/]+)\/playground\//;

/**
 * The first calls of the console at an address: the same for every screen, and more for the playground. A missing call
 * only costs time, a needless one a request: `test/journeys/start.journey.ts` compares them with the console's calls.
 * @param speechBaseUrl from the page settings; empty for the page's own origin
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
