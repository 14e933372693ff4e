import type { Request } from '@playwright/test';
import * as v from 'valibot';
import { User } from '#contract/accounts.ts';
import type { MadeApiKey } from '#contract/api-keys.ts';
import type { Invitation, Member } from '#contract/members.ts';
import { CallError } from '#machines/shared/failure.ts';
import { type Entry, membersMachine } from '#machines/workspace/members/machine.ts';
import {
  GONE_WITH_KEYS,
  LEFT,
  MEMBER_NOT_READ,
  REMOVED,
  REMOVED_WITH_KEYS,
  ROLE_CHANGED,
} from '#machines/workspace/members/texts.ts';
import { ROLE_NAMES } from '#src/views/organization/roles.ts';
import { doneBy, failedBy, walk, type WalkOptions } from '../model.ts';
import { unwalkedByAll } from '../unwalked.ts';
import { covering } from './covering.ts';
import { PausedCalls } from './pausedCalls.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  sendTo,
  show,
  test,
  titled,
  withoutExecutor,
  type Expectation,
  type Executors,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';
import { membersPage } from './pages/members.ts';

/** Stands for the person at the page, whose own id is known only there. */
const SELF = '11111111-1111-4111-8111-111111111111';
const at = '2026-01-01T00:00:00Z';
const person = (uuid: string, email: string, role: Member['role']): Member => ({
  uuid,
  email,
  name: '',
  role,
  joined_at: at,
});
const ann = person(SELF, 'ann@example.com', 'owner');
const olga = person('22222222-2222-4222-8222-222222222222', 'olga@example.com', 'owner');
const bob = person('33333333-3333-4333-8333-333333333333', 'bob@example.com', 'member');
const INVITED: Invitation = {
  uuid: '44444444-4444-4444-8444-444444444444',
  email: 'cy@example.com',
  role: 'admin',
  project_uuids: null,
  invited_by: null,
  created_at: at,
  expires_at: at,
  link: 'http://127.0.0.1/invite/a/',
};
const KEY: MadeApiKey = {
  uuid: '55555555-5555-4555-8555-555555555555',
  name: 'Nightly',
  masked_key: 'pk_1…9f',
  created_at: at,
  created_by: bob.email,
  last_used_at: null,
  expires_at: null,
  project: { uuid: '66666666-6666-4666-8666-666666666666', name: 'Tapes' },
};
const REFUSAL = new CallError({ kind: 'HTTP', status: 400, message: 'Somebody has to stay an owner.' });
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' });
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });

const change = (member: Member) => ({ type: 'role.change.requested', member });
const removal = ({ uuid, email }: Member | Invitation, kind: Entry['kind'] = 'member') => ({
  type: 'removal.requested',
  entry: { kind, uuid, name: email },
});
/** What the person says about another member. */
const answer = (isConfirmed: boolean, revokesKeys: boolean) => doneBy('memberRemoval', { isConfirmed, revokesKeys });
const changed = (member: Member) => doneBy('roleForm', { outcome: 'done', answer: member, values: {} });

const options = (cases: WalkOptions['cases']): WalkOptions => ({
  input: { orgUuid: 'the one of the page', userUuid: SELF, role: 'owner' },
  distinguish: ({ context }) => [
    context.members.map(({ uuid, role }: Member) => [uuid, role]),
    context.invitations.length,
    context.changing?.uuid,
    context.asked?.uuid,
    context.revokesKeys,
  ],
  cases: {
    'xstate.error.actor.loadPeople': [failedBy('loadPeople', OFFLINE)],
    'xstate.error.actor.loadMember': [failedBy('loadMember', OFFLINE)],
    'xstate.error.actor.removeEntry': [failedBy('removeEntry', REFUSAL), failedBy('removeEntry', GONE)],
    ...cases,
  },
});

const others = walk(
  membersMachine,
  options({
    'xstate.done.actor.loadPeople': [doneBy('loadPeople', { members: [ann, olga, bob], invitations: [INVITED] })],
    'xstate.done.actor.loadMember': [doneBy('loadMember', bob)],
    'xstate.done.actor.roleForm': [changed({ ...bob, role: 'billing' }), doneBy('roleForm', { outcome: 'dismissed' })],
    'role.change.requested': [change(bob)],
    'removal.requested': [removal(bob), removal(INVITED, 'invitation')],
    'xstate.done.actor.memberRemoval': [answer(true, true), answer(true, false), answer(false, false)],
  }),
);
const oneself = walk(
  membersMachine,
  options({
    'xstate.done.actor.loadPeople': [doneBy('loadPeople', { members: [ann, olga], invitations: [] })],
    'xstate.done.actor.loadMember': [doneBy('loadMember', ann)],
    'xstate.done.actor.roleForm': [changed({ ...ann, role: 'admin' })],
    'role.change.requested': [change(ann)],
    'removal.requested': [removal(ann)],
  }),
);
/** Besides what takes every transition, each kind of entry is removed and kept. */
const kinds = others.paths.filter(
  ({ steps }) => steps.length === 5 && steps[4]?.event.type.endsWith('actor.removeEntry'),
);
/** And a member goes with their keys, and without. */
const choices = [true, false].flatMap((revokesKeys) =>
  others.paths
    .filter(({ steps }) =>
      steps.some(
        ({ event }, index) =>
          event.type === 'xstate.done.actor.removeEntry' &&
          steps[index - 1]?.event['output']?.revokesKeys === revokesKeys,
      ),
    )
    .toSorted((one, other) => one.steps.length - other.steps.length)
    .slice(0, 1),
);
const walks = { others: [...new Set([...covering(others), ...kinds, ...choices])], oneself: covering(oneself) };

/** Declared transitions that the owner of the page does not cause. */
const EXCEPTIONS = {
  'members.ready.readingMember —xstate.done.actor.loadMember→ members.ready.listed':
    'Owners may change every role that they are offered to change.',
};

const CHART = ['workspace', 'members'];
const fixture = useConsolePage();
let organization: string;
let ownUuid: string;
const held = new PausedCalls(callOf);

function callOf(request: Request): string | null {
  const [, resource, uuid, keys] =
    new RegExp(`^/api/v2/organizations/${organization}/(users|invite)/(?:([\\w-]+)/(api-keys/)?)?$`).exec(
      new URL(request.url()).pathname,
    ) ?? [];
  if (resource === undefined) return null;
  if (uuid === undefined) return resource;
  if (keys !== undefined) return 'madeKeys';
  return { GET: 'loadMember', PUT: 'roleForm', DELETE: 'removeEntry' }[request.method()] ?? null;
}

test.beforeAll(async () => {
  const { page, playground } = fixture();
  organization = /^\/org\/([\w-]+)/.exec(playground)?.[1] ?? '';
  const user: unknown = await page.evaluate(async () => {
    const stored: unknown = JSON.parse(localStorage.getItem('jwt') ?? '{}');
    const access = typeof stored === 'object' && stored !== null ? String(Reflect.get(stored, 'access')) : '';
    return (await fetch('/api/v2/user/', { headers: { authorization: `Bearer ${access}` } })).json();
  });
  ownUuid = v.parse(User, user).uuid;
  await held.stand(page, '**/api/v2/**');
});

/** An answer of the model, with the page's own person in it. */
const real = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer).replaceAll(SELF, ownUuid));

function performance({ page }: ConsolePage): Performance<typeof membersMachine> {
  const { rows, changeRole, remove, revokeInvitation, leave, retry, roleForm, question } = membersPage(page);
  const dismiss = async () => {
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.locator('[data-row] button:focus')).toHaveText(/^(Remove|Revoke|Leave)$/);
  };
  const toast = (text: string) => expect(page.getByText(text).last()).toBeVisible();

  const executors: Executors<typeof membersMachine> = {
    'xstate.init': async () => {
      held.forget();
      await show(page, `/org/${organization}/members/`, CHART);
    },
    'xstate.done.actor.loadPeople': async ({ output: { members, invitations } }) => {
      await held.answer('invite', { invitations });
      await held.answer('users', real({ users: members }));
    },
    'xstate.error.actor.loadPeople': async ({ error }) => {
      await held.answer('invite', { invitations: [] });
      await held.fail('users', error);
    },
    'retry.requested': () => retry.click(),
    // Pushed by the server after what others do: test/journeys/events.journey.ts.
    // Who has left has no list that could hear it.
    'screen.stale': (event, before) =>
      before?.hasTag('left') ? expect(page).not.toHaveURL(/\/members\//) : sendTo(page, CHART, event),
    'role.change.requested': ({ member }) => changeRole(member.email).click(),
    'xstate.done.actor.loadMember': ({ output }) => held.answer('loadMember', real(output)),
    'xstate.error.actor.loadMember': async ({ error }) => {
      await held.fail('loadMember', error);
      await toast(MEMBER_NOT_READ);
    },
    'xstate.done.actor.roleForm': async ({ output }) => {
      if (output.outcome === 'dismissed') return roleForm.getByRole('button', { name: 'Cancel' }).click();
      await roleForm.getByLabel('Role').selectOption(output.answer.role);
      await roleForm.getByRole('button', { name: 'Save' }).click();
      expect((await held.of('roleForm')).request().postDataJSON()).toEqual({ role: output.answer.role });
      await held.answer('roleForm', real(output.answer));
      await toast(ROLE_CHANGED);
    },
    'removal.requested': ({ entry: { kind, uuid, name } }) =>
      (kind === 'invitation' ? revokeInvitation(name) : uuid === SELF ? leave : remove(name)).click(),
    'removal.confirmed': () => question.getByRole('button', { name: /^(Remove|Revoke|Leave)$/ }).click(),
    'removal.dismissed': () => dismiss(),
    'xstate.done.actor.memberRemoval': async ({ output }) => {
      await held.answer('madeKeys', { api_keys: [KEY] });
      await expect(question.getByRole('listitem')).toHaveText(/Nightly.*pk_1…9f.*Tapes/);
      const revokes = question.getByRole('checkbox', { name: 'Revoke this key' });
      await expect(revokes).not.toBeChecked();
      if (output.revokesKeys) await revokes.press('Space');
      await expect(revokes).toBeChecked({ checked: output.revokesKeys });
      if (!output.isConfirmed) return dismiss();
      await question.getByRole('button', { name: 'Remove' }).click();
    },
    'xstate.done.actor.removeEntry': async (_event, before) => {
      const { asked, userUuid, revokesKeys } = before?.context ?? {};
      await held.answer('removeEntry', {});
      if (asked.uuid === userUuid) await expect(page).not.toHaveURL(/\/members\//);
      await toast(
        asked.uuid === userUuid
          ? LEFT.success
          : revokesKeys
            ? REMOVED_WITH_KEYS
            : REMOVED[asked.kind === 'member' ? 'member' : 'invitation'].success,
      );
    },
    'xstate.error.actor.removeEntry': async ({ error }, before) => {
      const { asked, userUuid, revokesKeys } = before?.context ?? {};
      await held.fail('removeEntry', error);
      if (error === GONE) {
        if (asked.uuid === userUuid) await expect(page).not.toHaveURL(/\/members\//);
        return toast(
          asked.uuid === userUuid
            ? LEFT.success
            : revokesKeys
              ? GONE_WITH_KEYS
              : REMOVED[asked.kind === 'member' ? 'member' : 'invitation'].success,
        );
      }
      await toast(
        `${asked.uuid === userUuid ? LEFT.error : REMOVED[asked.kind === 'member' ? 'member' : 'invitation'].error} ${REFUSAL.message}`,
      );
    },
  };

  /** Everybody of the model, in its order, and nobody else. */
  const everybody: Expectation = async ({ context }) => {
    const members: readonly Member[] = context.members;
    await expect(rows('Members')).toHaveText(
      members.map(({ email, role }) => new RegExp(`^${email}.*${ROLE_NAMES[role]}`)),
    );
    const invitations: readonly Invitation[] = context.invitations;
    await expect(rows('Invitations')).toHaveText(invitations.map(({ email }) => new RegExp(`^${email}`)));
  };

  return {
    executors,
    chart: () => chartOf(page, CHART),
    transientStates: ['ready.left'],
    expectations: {
      loading: async () => {
        await held.of('users');
      },
      failed: async () => {
        await expect(page.getByRole('alert').filter({ hasText: 'Members could not be loaded.' })).toBeVisible();
      },
      'ready.listed': async (snapshot) => {
        await everybody(snapshot);
        await expect(roleForm).toHaveCount(0);
        await expect(question).toHaveCount(0);
      },
      'ready.listed.rereading': async () => {
        await held.of('users');
      },
      'ready.listed.outdated': async () => {
        await expect(page.getByRole('alert').filter({ hasText: 'it could not be loaded again' })).toBeVisible();
      },
      'ready.readingMember': async () => {
        await held.of('loadMember');
      },
      'ready.changingRole': async ({ context }) => {
        await expect(roleForm).toContainText(context.changing.email);
        await expect(roleForm.getByLabel('Role')).toHaveValue(context.changing.role);
      },
      'ready.confirmingMember': async ({ context }) => {
        await held.of('madeKeys');
        await expect(question).toContainText(context.asked.name);
        await expect(question.getByRole('status')).toHaveText('Looking for their API keys…');
        await expect(question.getByRole('button', { name: 'Remove' })).toBeDisabled();
      },
      'ready.confirming': async ({ context }) => {
        await expect(question).toContainText(context.asked.name);
      },
      // The row is gone although the server has not answered, and what has the focus stands where it stood.
      'ready.removing': async (snapshot) => {
        const { asked, revokesKeys } = snapshot.context;
        if (asked.kind === 'member')
          expect(new URL((await held.of('removeEntry')).request().url()).search).toBe(
            revokesKeys ? '?revoke_api_keys=true' : '',
          );
        await held.of('removeEntry');
        await everybody(snapshot);
        await expect(page.locator('[data-rows]:focus, [data-rows] :focus')).toHaveCount(1);
      },
      'ready.leaving': async (snapshot) => {
        await held.of('removeEntry');
        await everybody(snapshot);
      },
    },
  };
}

requireComplete(membersMachine, Object.values(walks).flat(), performance);

for (const [whom, paths] of Object.entries(walks)) {
  test.describe(`ORG-05: an owner and ${whom}`, () => {
    for (const [title, path] of titled(paths)) {
      test(title || 'begins', async () => {
        await perform(path, performance(fixture()));
      });
    }
  });
}

test('SEC-13: a member is removed with their keys, and without', () => {
  expect(choices).toHaveLength(2);
});

test('every transition of the members is walked, but those that an owner does not cause', () => {
  expect(unwalkedByAll([others.unwalked(walks.others), oneself.unwalked(walks.oneself)])).toEqual(
    Object.keys(EXCEPTIONS),
  );
  expect(withoutExecutor([...walks.others, ...walks.oneself], performance(fixture()).executors)).toEqual([]);
});
