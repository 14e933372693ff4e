import type { listMemberships } from '#contract/api/memberships.ts';
import type { verifyAccess } from '#contract/api/sessions.ts';
import type { listFiles, listModels, listTranscriptions } from '#contract/api/speech.ts';
import type { readUser } from '#contract/api/user.ts';
import { PAGE_SIZE } from '#contract/fields.ts';
import { type EarlyCall, mainBearer, speechBearer } from './calls.ts';

/** Paths of rows, checked by their types: the rows would bring schemas into the early file. */
const VERIFY: (typeof verifyAccess)['path'] = '/api/v2/token/verify/';
const USER: (typeof readUser)['path'] = '/api/v2/user/';
const MEMBERSHIPS: (typeof listMemberships)['path'] = '/api/v2/user/organizations/';
const MODELS: (typeof listModels)['path'] = '/v1/models';
const FILES: (typeof listFiles)['path'] = '/v1/files';
const TRANSCRIPTIONS: (typeof listTranscriptions)['path'] = '/v1/transcriptions';

/** The check of the stored session, by which its chart decides (SES-10). */
export const verification = ({ origin }: URL, access: string): EarlyCall => ({
  method: 'post',
  url: `${origin}${VERIFY}`,
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
  const calls: EarlyCall[] = [USER, MEMBERSHIPS].map((path) => ({
    method: 'get',
    url: `${page.origin}${path}`,
    authorization: mainBearer(access),
  }));
  const project = PLAYGROUND.exec(page.pathname)?.[1];
  if (project === undefined) return calls;
  const speech = (speechBaseUrl || page.origin).replace(/\/+$/, '');
  for (const path of [MODELS, `${FILES}?limit=${PAGE_SIZE}`, `${TRANSCRIPTIONS}?limit=${PAGE_SIZE}`])
    calls.push({ method: 'get', url: `${speech}${path}`, authorization: speechBearer(project, access) });
  return calls;
}
