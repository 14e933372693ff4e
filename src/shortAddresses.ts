/** The redirect helpers: short addresses that lead into the first organization and its first project (NAV-03). */
import { BILLING_PAGES, type Destination } from '#machines/shared/route.ts';

/** `$page` is one of the pages of billing. */
const SHORT_ADDRESSES = {
  '/playground/': { screen: 'playground', mode: 'real-time' },
  '/playground/speech-to-text/': { screen: 'playground', mode: 'real-time' },
  '/playground/transcribe-live/': { screen: 'playground', mode: 'real-time' },
  '/playground/transcribe-async/': { screen: 'playground', mode: 'async' },
  '/api-keys/': { screen: 'apiKeys' },
  '/org/members/': { screen: 'members' },
  '/org/limits/': { screen: 'organizationLimits' },
  '/org/settings/': { screen: 'organizationSettings' },
  '/org/billing/': { screen: 'billing', page: 'overview' },
  '/org/billing/$page/': { screen: 'billing', page: 'overview' },
  '/org/projects/playground/speech-to-text/': { screen: 'playground', mode: 'real-time' },
  '/org/projects/api/keys/': { screen: 'apiKeys' },
  '/org/projects/usage/cost/': { screen: 'usageCost' },
  '/org/projects/usage/activity/': { screen: 'usageActivity' },
  '/org/projects/limits/': { screen: 'projectLimits' },
  '/org/projects/settings/': { screen: 'projectSettings' },
} as const satisfies Record<string, Destination>;

export type ShortAddress = keyof typeof SHORT_ADDRESSES;

const isShort = (path: string): path is ShortAddress => path in SHORT_ADDRESSES;

/** Which screen a short address stands for; null for any other path, and for a page of billing that there isn't. */
export function destinationOf(path: string, params: { page?: string | undefined }, search: Record<string, unknown>): Destination | null {
  if (!isShort(path)) return null;
  const into: Destination = SHORT_ADDRESSES[path];
  if (into.screen === 'billing' && path !== '/org/billing/') {
    const page = BILLING_PAGES.find((known) => known === params.page);
    return page ? { ...into, page } : null;
  }
  // The two that name no mode leave it to the query.
  if (into.screen === 'playground' && !path.includes('/transcribe-') && search['mode'] === 'async') return { ...into, mode: 'async' };
  return into;
}
