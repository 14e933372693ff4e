// Limits as the server tells them.
import type { Limit, LimitIncrease, LimitName, ProjectLimit } from '#contract/limits.ts';

export const limit = (name: LimitName, of: Partial<Limit> = {}): Limit => ({
  name,
  value: 10,
  own: null,
  maximum: 20,
  used: 2,
  reserved: 0,
  is_reached: false,
  ...of,
});

/** The only one of its organization that uses anything, unless said otherwise. */
export const projectLimit = (name: LimitName, of: Partial<ProjectLimit> = {}): ProjectLimit => {
  const one = limit(name, of);
  return { organization_used: one.used, organization_reserved: one.reserved, ...one, ...of };
};

export const increase = (of: Partial<LimitIncrease> = {}): LimitIncrease => ({
  uuid: '5f0c1b52-6f43-4b8e-9a3e-0d7f6a1b2c3d',
  limit: 'concurrent_streams',
  value: 50,
  reason: 'A call center.',
  state: 'pending',
  asked_at: '2026-11-24T10:00:00Z',
  decided_at: null,
  answer: '',
  ...of,
});
