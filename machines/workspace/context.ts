// What a workspace knows; apart from its chart, since the charts of its screens start from it.
import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import type { SavedPlayground } from '../playground/types.ts';
import type { Failure } from '../shared/failure.ts';
import type { Draft, LeftDrafts } from '../shared/form/drafts.ts';
import type { Route } from '../shared/route.ts';
import type { RemovalCauses } from './news.ts';
import type { Selection } from './select.ts';

export type WorkspaceInput = {
  route: Route;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** What somebody had typed when their session ended; given back to the same person only. */
  left?: LeftDrafts | null;
};

export type WorkspaceContext = WorkspaceInput & {
  /** What this person had typed, for the first screen that opens. */
  drafts: readonly Draft[];
  user: User;
  memberships: readonly Membership[];
  remembered: Readonly<Record<string, string>>;
  selection: Selection;
  /** What the last playground left behind, for when one comes back to its project (CON-02). */
  savedPlayground: ({ projectUuid: string } & SavedPlayground) | null;
  /** Why things are gone, as was told since the memberships were read. */
  removalCauses: RemovalCauses;
  diff: MembershipDiff;
  /** Where success leads, once the memberships know of it. */
  created: Route | null;
  /** Why the place of the open screen is gone, a sentence; null while it is there. */
  removalReason: string | null;
  failure: Failure | null;
};

/** What the memberships that were read last have changed. */
export type MembershipDiff = {
  /** Sentences; empty where nothing has changed that is not said elsewhere. */
  message: string;
  isPlaceRemoved: boolean;
  /** Why the place is gone, a sentence; null where it is not, or the page leads on itself. */
  removalReason: string | null;
  /** Where to go from there; null where the place is not lost, or the page leads on itself. */
  fallback: Route | null;
  /** Another role in the organization of the address. */
  hasOtherRole: boolean;
};

/** From a screen that changed what the memberships hold: they are read again, and then `route` opens, if there is one. */
export type MembershipsStale = { type: 'memberships.stale'; route: Route | null };
