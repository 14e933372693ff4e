// What the machine tests speak of: one person, two organizations, tokens.
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
