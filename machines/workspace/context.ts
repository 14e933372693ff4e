// The workspace's context, separate from its chart because the charts of screens use it too.
import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import type { SavedPlayground } from '../playground/types.ts';
import type { Failure } from '../shared/failure.ts';
import type { Draft, KeptDrafts } from '../shared/form/drafts.ts';
import type { Route } from '../shared/route.ts';
import type { HeardChanges } from './news.ts';
import type { Selection } from './select.ts';

export type WorkspaceInput = {
  route: Route;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** Drafts from a session that ended; only the same person gets them back. */
  keptDrafts?: KeptDrafts | null;
};

export type WorkspaceContext = WorkspaceInput & {
  /** This person's drafts, for the first screen that opens. */
  drafts: readonly Draft[];
  user: User;
  memberships: readonly Membership[];
  remembered: Readonly<Record<string, string>>;
  selection: Selection;
  /** State of the last playground, restored on return to its project (CON-02). */
  savedPlayground: ({ projectUuid: string } & SavedPlayground) | null;
  /** What was heard of changes since the memberships were read. */
  heard: HeardChanges;
  diff: MembershipDiff;
  /** Where to go once the memberships contain what was created. */
  created: Route | null;
  /** Why the open screen's place is gone, a sentence; null while it is there. */
  removalReason: string | null;
  failure: Failure | null;
};

/** The changes that the latest memberships brought. */
export type MembershipDiff = {
  /** Sentences about changes that nothing else reports; may be empty. */
  message: string;
  isPlaceRemoved: boolean;
  /** Why the place is gone, a sentence; null if it is not, or this page removed it. */
  removalReason: string | null;
  /** Where to go from a removed place; null if the place is there, or this page removed it. */
  fallback: Route | null;
  /** Whether the role in the address's organization has changed. */
  hasRoleChanged: boolean;
};
