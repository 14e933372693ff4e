import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import type { ProjectHome } from '#contract/project-home.ts';
import type { Member } from '#contract/members.ts';
import { dashboardMachine } from '#machines/workspace/dashboard/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import { projectHomeMachine } from '#machines/workspace/projectHome/machine.ts';
import { canLeave } from '#machines/workspace/members/select.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import { AT, invitation, memberKey, member } from '../test/machines/people.ts';
import { describeWalk, describeWalks, FAILURE } from './walk.ts';

const ann = member('ann', 'owner');
const bob = member('bob', 'member');
const olga = member('olga', 'owner');
const INVITATION = invitation('admin');
const figures: Dashboard = {
  period: { start: AT, end: AT },
  totals: { requests: 0, audio_ms: 0, cost_micros: null },
  projects: [],
  deleted_projects: [],
  steps: { transcribed: false, spoken: false, key_created: false },
  balance_micros: null,
  is_exhausted: false,
  is_budget_reached: false,
  members: 1,
};
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' });
const dismissed = { outcome: 'dismissed' };

describe('ORG-04 ONB-08: dashboard', () => {
  describeWalk(dashboardMachine, {
    tags: {
      loading: ['figures.loading'],
      failed: ['figures.failed'],
      renaming: ['naming.renaming'],
      cost: ['chart.cost'],
    },
    refused: [
      { states: ['chart.activity'], event: { type: 'chart.chosen', chart: 'activity' }, why: 'It shows' },
      { states: ['chart.cost'], event: { type: 'chart.chosen', chart: 'cost' }, why: 'It shows' },
    ],
    ignored: {
      'Nothing has failed': 'retry.requested in figures.{loading, ready}',
      'It is being changed already': 'rename.requested in naming.renaming',
    },
    input: { orgUuid: 'o1', role: 'owner' },
    cases: {
      'done loadDashboard': [{ figures, projects: [] }],
      'rename.requested': [{ name: 'Personal' }],
      'done nameForm': [{ outcome: 'done', answer: {}, values: { name: 'Ann' }, about: { orgUuid: 'o1' } }, dismissed],
      'chart.chosen': [{ chart: 'cost' }, { chart: 'activity' }],
    },
    states: {
      'naming.renaming': ({ children }) => expect(Object.keys(children)).toContain('nameForm'),
      'chart.cost': ({ children }) => expect(Object.keys(children)).toContain('usage'),
      'figures.ready': ({ context }) => expect(context).toMatchObject({ figures, failure: null }),
      'figures.failed': ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });

  it.each([
    ['owner', true],
    ['admin', true],
    ['billing', false],
    ['member', false],
  ] as const)('ORG-06 ORG-08: %s may change the name: %s', (role, may) => {
    const dashboard = createActor(dashboardMachine, { input: { orgUuid: 'o1', role } });
    expect(dashboard.getSnapshot().can({ type: 'rename.requested', name: 'Acme' })).toBe(may);
  });
});

const home: ProjectHome = {
  period: { start: AT, end: AT },
  totals: { requests: 1, audio_ms: 1000, cost_micros: null },
  steps: { transcribed: true, key_created: false, key_used: false },
  recent: [],
};

describe('ONB-20 ONB-21: the home of a project', () => {
  describeWalk(projectHomeMachine, {
    tags: {
      loading: ['loading'],
      failed: ['failed'],
      beginning: ['beginning'],
      outdated: ['beginning.outdated'],
    },
    ignored: {
      'Nothing has failed': 'retry.requested in loading, beginning.{known, rereading}, inUse',
      'No steps show': 'screen.stale in loading, failed, inUse',
    },
    input: { projectUuid: 'p1' },
    cases: {
      'done rereadHome': [home, { ...home, steps: { transcribed: true, key_created: true, key_used: true } }],
      'done loadHome': [home, { ...home, steps: { transcribed: true, key_created: true, key_used: true } }],
    },
    states: {
      beginning: ({ context }) => expect(context.home?.steps.key_used).toBe(false),
      'beginning.known': ({ context }) => expect(context.failure).toBeNull(),
      'beginning.outdated': ({ context }) => expect(context.failure).not.toBeNull(),
      inUse: ({ context }) => expect(context.home?.steps.key_used).toBe(true),
      failed: ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });
});

const entry = ({ uuid, email }: { uuid: string; email: string }, kind: 'member' | 'invitation' = 'member') => ({
  type: 'removal.requested',
  entry: { kind, uuid, name: email },
});

describe('ORG-05 ORG-08: members', () => {
  describeWalks(
    membersMachine,
    {
      tags: {
        loading: ['loading'],
        failed: ['failed'],
        outdated: ['ready.listed.outdated'],
        busy: ['ready.readingMember', 'ready.removing', 'ready.leaving'],
        confirming: ['ready.confirmingMember', 'ready.confirming'],
        left: ['ready.left'],
      },
      ignored: {
        'Nothing has failed':
          'retry.requested in loading, ready.{changingRole, confirming, confirmingMember, leaving, left, listed.{current, rereading}, readingMember, removing}',
        'One change at a time; the buttons ask the chart':
          'role.change.requested, removal.requested in failed, loading, ready.{changingRole, confirming, confirmingMember, leaving, left, readingMember, removing}',
        'No dialog asks':
          'removal.confirmed, removal.dismissed in failed, loading, ready.{changingRole, confirmingMember, leaving, left, listed, readingMember, removing}',
      },
      cases: {
        'done loadPeople': [{ members: [ann, olga, bob], invitations: [INVITATION] }],
        'done loadMember': [bob],
        'done roleForm': [{ outcome: 'done', answer: { ...bob, role: 'admin' }, values: {} }, dismissed],
        'role.change.requested': [{ member: bob }],
        'removal.requested': [entry(bob), entry(INVITATION, 'invitation')],
        'failed removeEntry': [FAILURE, GONE],
        'done memberRemoval': [
          { isConfirmed: true, revokesKeys: true },
          { isConfirmed: true, revokesKeys: false },
          { isConfirmed: false, revokesKeys: false },
        ],
      },
      distinguish: ({ context }) => [
        context.revokesKeys,
        context.members.map(({ uuid, role }: Member) => [uuid, role]),
        context.invitations.length,
        context.changing?.uuid,
        context.asked?.uuid,
        context.isStale,
      ],
      states: {
        // What is known of them stays, whatever became of the second reading.
        'ready.listed.outdated': ({ context }) => {
          expect(context).toMatchObject({
            isStale: true,
            failure: expect.objectContaining({ message: expect.any(String) }),
          });
          expect(context.members).toContainEqual(ann);
        },
        'ready.listed.current': ({ context }) => expect(context.isStale).toBe(false),
        'ready.removing': ({ context }) => {
          // The row is gone before the server agrees.
          expect([...context.members, ...context.invitations].map(({ uuid }) => uuid)).not.toContain(
            context.asked.uuid,
          );
        },
        // Whoever removes somebody else is told what they made; invitations made nothing, and who leaves knows.
        'ready.confirmingMember': ({ context }) => expect(context.asked).toMatchObject({ kind: 'member', uuid: 'bob' }),
        'ready.confirming': ({ context }) => {
          expect(['i1', context.userUuid]).toContain(context.asked.uuid);
          expect(context.revokesKeys).toBe(false);
        },
        'ready.listed': ({ context }) => {
          expect(context).toMatchObject({ before: null });
          expect(context.members).toContainEqual(ann);
        },
        'ready.leaving': ({ context }) => expect(canLeave(context)).toBe(true),
      },
    },
    {
      'an owner with others': { input: { orgUuid: 'o1', userUuid: 'ann', role: 'owner' } },
      'an admin, while an owner changes roles': {
        input: { orgUuid: 'o1', userUuid: 'bob', role: 'admin' },
        cases: {
          'done loadPeople': [{ members: [ann, member('bob', 'admin'), member('eve', 'billing')], invitations: [] }],
          'done loadMember': [member('eve', 'owner')],
          'role.change.requested': [{ member: member('eve', 'billing') }],
          'removal.requested': [],
        },
      },
      'one of two owners, about oneself': {
        input: { orgUuid: 'o1', userUuid: 'ann', role: 'owner' },
        cases: {
          'done loadPeople': [{ members: [ann, olga], invitations: [] }],
          'done loadMember': [ann],
          'done roleForm': [
            { outcome: 'done', answer: { ...olga, uuid: 'ann', role: 'owner', email: ann.email }, values: {} },
          ],
          'role.change.requested': [{ member: ann }],
          'removal.requested': [entry(ann)],
        },
      },
    },
  );
});

describe('SEC-13: the question before a member is removed', () => {
  describeWalk(memberRemovalMachine, {
    tags: { loading: ['reading'], loaded: ['loaded'], failed: ['failed'] },
    ignored: {
      'Whether there are API keys is not known, so they stay': 'revocation.chosen in reading, failed',
      'There are no API keys to be revoked': 'revocation.chosen at times in loaded',
      'What will be removed is not known yet': 'removal.confirmed in reading',
      'Nothing has failed': 'retry.requested in reading, loaded',
    },
    input: { orgUuid: 'o1', userUuid: 'bob', projectUuid: null },
    cases: {
      'done loadMemberKeys': [[memberKey('k1')], []],
      'revocation.chosen': [true, false].map((revokesKeys) => ({ revokesKeys })),
    },
    distinguish: ({ context }) => [context.keys.length, context.revokesKeys, context.isConfirmed],
    states: {
      reading: ({ context }) => expect(context.failure).toBeNull(),
      loaded: ({ context }) => {
        if (context.keys.length === 0) expect(context.revokesKeys).toBe(false);
      },
      failed: ({ context }) =>
        expect(context).toMatchObject({ keys: [], revokesKeys: false, failure: { message: expect.any(String) } }),
      ended: ({ context, output }) =>
        expect(output).toEqual({
          isConfirmed: context.isConfirmed,
          revokesKeys: context.isConfirmed && context.revokesKeys,
        }),
    },
  });
});

const pendingAs = (role: string) => ({
  outcome: 'refused',
  failure: { message: 'Pending.', kind: 'HTTP', status: 400, errorType: 'invitation_pending' },
  typed: { orgUuid: 'o1', email: 'cy@example.com', role, scope: 'all', projects: '' },
});

describe('ORG-05 CON-03: inviting', () => {
  describeWalk(invitationMachine, {
    tags: {
      pending: ['pending'],
      loading: ['pending.reading'],
      sending: ['pending.sending'],
      asking: ['pending.sending.asking'],
    },
    ignored: {
      'The dialog of an entry is not open': 'pending.dismissed in asking, pending.sending.asking, sent',
      'No entry is open, or it is at work already':
        'resend.requested, change.requested in asking, pending.{reading, sending}, sent',
      'The role is the one that it has': 'change.requested at times in pending.deciding',
      'Nothing is about to be lost':
        'discard.confirmed, discard.declined in asking, pending.{deciding, reading, sending.waiting}, sent',
    },
    input: { orgUuid: 'o1', role: 'owner', drafts: [] },
    cases: {
      'done form': [
        { outcome: 'done', answer: INVITATION, values: {} },
        dismissed,
        pendingAs('member'),
        pendingAs('admin'),
      ],
      'done loadInvitations': [[INVITATION], []],
      'done sendInvitation': [INVITATION],
    },
    distinguish: ({ context }) => [context.wanted?.role, context.pending?.uuid],
    states: {
      // What was typed is unsaved from the refusal to the answer.
      pending: ({ children, context }) => {
        expect(Object.keys(children)).toContain('unsavedWork');
        expect(context.typed).not.toBeNull();
      },
      sent: ({ children }) => expect(Object.keys(children)).toEqual([]),
      'pending.deciding': (snapshot) => {
        const { pending, wanted } = snapshot.context;
        expect(wanted.email).toBe(INVITATION.email);
        // What is as it was wanted cannot be changed into that.
        expect(snapshot.can({ type: 'change.requested' })).toBe(pending?.role !== wanted.role);
      },
      asking: ({ children }) => expect(Object.keys(children)).toEqual(['form']),
    },
  });
});
