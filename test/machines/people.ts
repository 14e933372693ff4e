// What the machine tests speak of: one person, two organizations, tokens.
import type { ApiKey, MemberApiKey } from '#contract/api-keys.ts';
import type { Invitation, Member } from '#contract/members.ts';
import type { Membership } from '#contract/organizations.ts';
import type { TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';

/** A pair whose access token expires at 1000 seconds unless told otherwise. */
export const pair = (name: string, access_expires_at = 1000): TokenPair => ({
  access: `access-${name}`,
  refresh: `refresh-${name}`,
  access_expires_at,
});

export const membership = (uuid: string, projects: readonly string[], feature_flags: string[] = []): Membership => ({
  organization: { uuid, name: `Organization ${uuid}`, contact_email: 'ann@example.com', feature_flags },
  role: 'owner',
  projects: projects.map((project) => ({ uuid: project, name: `Project ${project}` })),
});

export const ann = {
  user: { uuid: 'u1', email: 'ann@example.com', name: 'Ann', has_password: true },
  memberships: [membership('o1', ['p1', 'p2']), membership('o2', ['p3'])],
  remembered: {},
};

export const uuidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The day on which all of this was made. */
export const AT = '2026-01-01T00:00:00Z';

export const member = (uuid: string, role: Member['role']): Member => ({
  uuid,
  email: `${uuid}@example.com`,
  name: '',
  role,
  joined_at: AT,
});

export const invitation = (role: Invitation['role'] = 'member'): Invitation => ({
  uuid: 'i1',
  email: 'cy@example.com',
  role,
  project_uuids: null,
  invited_by: null,
  created_at: AT,
  expires_at: AT,
  link: 'http://127.0.0.1/invite/t/',
});

export const apiKey = (uuid: string, name = uuid): ApiKey => ({
  uuid,
  name,
  masked_key: 'prl_ab…yz',
  created_at: AT,
  created_by: 'bob@example.com',
  last_used_at: null,
  expires_at: null,
});
/** A key, as whoever removes its maker is told of it. */
export const memberKey = (uuid: string): MemberApiKey => ({ ...apiKey(uuid), project: { uuid: 'p1', name: 'Tapes' } });

export const settings: PageSettings = {
  product: 'parlance',
  productName: 'Parlance',
  supportEmail: 'help@example.com',
  speechBaseUrl: '',
  streamingUrl: '',
  links: {
    docs: 'https://e.x/',
    apiReference: 'https://e.x/',
    repository: 'https://e.x/',
    community: 'https://e.x/',
    terms: 'https://e.x/',
    privacy: 'https://e.x/',
  },
  mails: 'sent',
  prices: { async: 100_000, live: 120_000 },
  payments: 'test',
  singleSignOn: false,
  startingCredit: true,
  keptDays: {},
  maxUploadBytes: 1,
};

export type Later<Value> = {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
};
/** A promise that the test settles when it wants to. */
export function later<Value>(): Later<Value> {
  let resolve: Later<Value>['resolve'] = () => undefined;
  let reject: Later<Value>['reject'] = () => undefined;
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
