import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { PUBLIC_PATHS, routeOf } from '#src/locations.ts';
import { SCREEN_NAMES } from '#src/screens/rows.ts';

const ORGANIZATION = '/api/v2/organizations/{organization}';
const PROJECT = '/api/v2/projects/{project}';
const LIMITS = '/api/v2/limits';

/** The spec's call table (§7): methods and paths as this API calls what they hold. */
const SPEC: readonly (readonly [methods: string, ...paths: string[]])[] = [
  ['POST', ...['', 'refresh/', 'verify/', 'invalidate/'].map((path) => `/api/v2/token/${path}`)],
  ['POST', ...['redirect/', 'token/', 'signup/'].map((path) => `/api/v2/sso/${path}`)],
  ['PUT', '/api/v2/signup/verify-email/', '/api/v2/user/password/recover/', '/api/v2/user/password/'],
  ['GET PUT', '/api/v2/signup/{token}/', '/api/v2/user/'],
  ['GET POST', '/api/v2/user/password/{token}/', '/api/v2/organizations/invite/{token}/'],
  ['GET', '/api/v2/user/organizations/'],
  ['POST', '/api/v2/organizations/'],
  ['GET PUT DELETE', `${ORGANIZATION}/`, `${ORGANIZATION}/users/{user}/`, `${PROJECT}/`],
  ['POST', ...['usage/cost/', 'usage/activity/', 'invite/'].map((path) => `${ORGANIZATION}/${path}`)],
  ['GET', `${ORGANIZATION}/dashboard/`, `${ORGANIZATION}/users/`],
  ['GET POST', `${ORGANIZATION}/projects/`],
  ['GET PUT', `${ORGANIZATION}/billing/`],
  ['POST', ...['', 'setup/', 'remove/'].map((path) => `${ORGANIZATION}/payment/${path}`)],
  ['GET', `${ORGANIZATION}/payment/status/`],
  ['PUT', `${ORGANIZATION}/payment/reset-error/`],
  ['POST', ...['reports/', 'reports/xlsx/', 'cost/', 'cost/xlsx/'].map((path) => `${ORGANIZATION}/billing/${path}`)],
  [
    'GET',
    ...['overview/', 'transactions/', 'transaction/{transaction}/receipt-url/'].map(
      (path) => `${ORGANIZATION}/billing/${path}`,
    ),
  ],
  ['GET POST DELETE', `${PROJECT}/users/`],
  ['GET POST', `${PROJECT}/api-keys/`],
  ['DELETE', `${PROJECT}/api-keys/{key}/`],
  ['POST', `${PROJECT}/usage/cost/`, `${PROJECT}/usage/activity/`],
  ['GET PUT', `${LIMITS}/organizations/{organization}/`, `${LIMITS}/projects/{project}/`],
  ['POST', `${LIMITS}/organizations/{organization}/increase/`, `${LIMITS}/projects/{project}/configure/`],
  ['POST', '/api/v2/stripe/webhook/'],
  ['GET', '/api/v2/stripe/webhook/health_check_service_result/'],
  ['GET POST', '/v1/files', '/v1/transcriptions'],
  ['GET DELETE', '/v1/files/{id}', '/v1/transcriptions/{id}'],
  ['GET', '/v1/files/{id}/url', '/v1/transcriptions/{id}/transcript', '/v1/models'],
  ['POST', '/v1/auth/temporary-api-key'],
];
const specCalls = SPEC.flatMap(([methods, ...paths]) =>
  methods.split(' ').flatMap((method) => paths.map((path) => `${method} ${path}`)),
);

/** Rows of the table in docs/requirements.md: a call, and who makes it. */
const rows = [...readFileSync('docs/requirements.md', 'utf8').matchAll(/^\| `([A-Z]+ \/\S+)` \| (.+) \|$/gm)].map(
  ([, call = '', makers = '']) => ({ call, makers }),
);

/** The screens that need no place, by the addresses that open them. */
const publicScreens = PUBLIC_PATHS.map((path) => routeOf({ routeId: path, params: {}, search: {} }).screen);
const screens: ReadonlySet<string> = new Set([...SCREEN_NAMES, ...publicScreens, 'user']);

describe('API-01: the calls of the spec', () => {
  it('each has its row in docs/requirements.md, and no other call has one', () => {
    expect(rows.map(({ call }) => call).toSorted()).toEqual(specCalls.toSorted());
  });

  it('each is one that the server describes, and so answers', () => {
    const described = [...MAIN_API, ...SPEECH_API].map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(specCalls.filter((call) => !described.includes(call))).toEqual([]);
  });

  it('each names a screen that there is, or who makes it in place of one', () => {
    const nameless = rows.filter(({ makers }) => !/`|on every screen|^no screen: /.test(makers));
    expect(nameless).toEqual([]);
    const named = rows.flatMap(({ makers }) => [...makers.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !screens.has(name))).toEqual([]);
  });
});
