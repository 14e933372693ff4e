// Types, guards and actions of the members' chart.
import { assign, setup } from 'xstate';
import type { Member } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import { type Failure, failureOf, isGone } from '../../shared/failure.ts';
import { memberRemovalMachine } from '../memberRemoval/machine.ts';
import { formGuards } from '../../shared/form/ends.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { sendToApp, type ToastRequested } from '../../shared/appServices.ts';
import type { MembershipsStale } from '../../shared/membershipsStale.ts';
import type { ScreenStale } from '../stale.ts';
import { loadMember, loadPeople, removeEntry, type EntryKind, type EntryRemoval, type People } from './actors.ts';
import { roleForm } from './form.ts';
import { mayRemove, rolesFor, type Known } from './select.ts';
import { GONE_WITH_KEYS, REMOVED, REMOVED_WITH_KEYS } from './texts.ts';
import { successToast } from '../say.ts';

/** A row to remove; `name` is shown under the question. */
export type Entry = { kind: EntryKind; uuid: string; name: string };

export type MembersContext = Known & {
  orgUuid: string;
  failure: Failure | null;
  /** The member whose role is being changed. */
  changing: Member | null;
  /** The last entry asked about, and its index, where the focus goes. */
  asked: (Entry & { index: number }) | null;
  /** Whether to revoke the removed member's API keys. */
  revokesKeys: boolean;
  /** The lists before a removal that the server has not confirmed yet. */
  before: People | null;
  /** Somebody has changed something since the lists were requested. */
  isStale: boolean;
};

const listOf = ({ members, invitations }: Known, kind: EntryKind): readonly { uuid: string }[] =>
  kind === 'member' ? members : invitations;

export const setupMembers = setup({
  types: {} as {
    context: MembersContext;
    input: { orgUuid: string; userUuid: string; role: Role };
    events:
      | { type: 'retry.requested' }
      | ScreenStale
      | { type: 'role.change.requested'; member: Member }
      | { type: 'removal.requested'; entry: Entry }
      | { type: 'removal.confirmed' }
      | { type: 'removal.dismissed' };
    tags: 'loading' | 'failed' | 'confirming' | 'busy' | 'left' | 'outdated';
    children: {
      loadPeople: 'loadPeople';
      loadMember: 'loadMember';
      roleForm: 'roleForm';
      memberRemoval: 'memberRemoval';
      removeEntry: 'removeEntry';
    };
  },
  actors: { loadPeople, loadMember, roleForm, memberRemoval: memberRemovalMachine, removeEntry },
  guards: {
    ...formGuards,
    isOwnRoleChanged: ({ context }, { outcome }: { outcome: string }) =>
      outcome === 'done' && context.changing?.uuid === context.userUuid,
    mayChange: ({ context }, { member }: { member: Member }) =>
      context.members.some(({ uuid }) => uuid === member.uuid) && rolesFor(context, member).length > 0,
    mayRemove: ({ context }, { entry }: { entry: Entry }) => mayRemove(context, entry),
    isOtherMember: ({ context }, { entry }: { entry: Entry }) =>
      entry.kind === 'member' && entry.uuid !== context.userUuid && mayRemove(context, entry),
    isConfirmed: (_, { isConfirmed }: { isConfirmed: boolean }) => isConfirmed,
    /** Somebody else has removed it, which counts as success. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isStale: ({ context }) => context.isStale,
    isLeaving: ({ context }) => context.asked?.uuid === context.userUuid,
  },
  actions: {
    setPeople: assign((_, people: People) => ({ ...people, failure: null })),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
    setFailure: assign(failureOf),
    setChanging: assign((_, { member }: { member: Member }) => ({ changing: member })),
    clearChanging: assign({ changing: null }),
    setMember: assign(({ context }, member: Member) => ({
      members: context.members.map((other) => (other.uuid === member.uuid ? member : other)),
    })),
    setOwnRole: assign((_, { role }: Member) => ({ role })),
    setAsked: assign(({ context }, { entry }: { entry: Entry }) => ({
      asked: { ...entry, index: listOf(context, entry.kind).findIndex(({ uuid }) => uuid === entry.uuid) },
      revokesKeys: false,
    })),
    setChoice: assign((_, { revokesKeys }: { revokesKeys: boolean }) => ({ revokesKeys })),
    takeOut: assign(({ context: { members, invitations, asked } }) => ({
      before: { members, invitations },
      members: members.filter(({ uuid }) => uuid !== asked?.uuid),
      invitations: invitations.filter(({ uuid }) => uuid !== asked?.uuid),
    })),
    putBack: assign(({ context }) => ({ ...context.before, before: null })),
    clearBefore: assign({ before: null }),
    notifyParent: notifyParent<MembershipsStale>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
});

/** The request to remove the confirmed entry. */
export const removalOf = ({ orgUuid, asked, revokesKeys }: MembersContext): EntryRemoval => ({
  orgUuid,
  kind: asked?.kind ?? 'member',
  uuid: asked?.uuid ?? '',
  revokesKeys,
});

export const removedText = ({ asked, revokesKeys }: MembersContext): string =>
  revokesKeys ? REMOVED_WITH_KEYS : REMOVED[asked?.kind ?? 'member'].success;

/** The toast if somebody else removed the entry: whether they also revoked the member's keys is unknown. */
export const goneToast = ({ asked, revokesKeys }: MembersContext): ToastRequested =>
  revokesKeys
    ? { type: 'toast.requested', kind: 'notice', text: GONE_WITH_KEYS }
    : successToast(REMOVED[asked?.kind ?? 'member'].success);
