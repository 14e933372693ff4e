import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, setup, waitFor, type AnyActorLogic, type AnyEventObject } from 'xstate';
import type { MadeApiKey } from '#contract/api-keys.ts';
import type { Invitation, InvitationCreate, Member } from '#contract/members.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { invitationForm } from '#machines/workspace/invitation/form.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import type { EntryRemoval, People } from '#machines/workspace/members/actors.ts';
import { roleForm } from '#machines/workspace/members/form.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import { canLeave, isRemovable, isRevocable, rolesFor, seesInvitations } from '#machines/workspace/members/select.ts';
import { organizationSettings } from '#machines/workspace/settings/organization.ts';
import { later } from './people.ts';
import { RESIDENTS, residentTelling } from './residents.ts';

const at = '2026-01-01T00:00:00Z';
const person = (uuid: string, role: Role): Member => ({
  uuid,
  email: `${uuid}@example.com`,
  name: '',
  role,
  joined_at: at,
});
const invited: Invitation = {
  uuid: 'i1',
  email: 'cy@example.com',
  role: 'member',
  project_uuids: null,
  invited_by: null,
  created_at: at,
  expires_at: at,
  link: 'http://127.0.0.1/invite/t/',
};
const TEAM: People = {
  members: [person('ann', 'owner'), person('bob', 'admin'), person('eve', 'member')],
  invitations: [invited],
};

/** The actor beneath a parent that writes down what it is told. */
function under(logic: AnyActorLogic, input: unknown) {
  const told: AnyEventObject[] = [];
  const parent = createActor(
    setup({ actors: { child: logic, resident: residentTelling((event) => told.push(event)) } }).createMachine({
      invoke: [...RESIDENTS, { id: 'child', src: 'child', input }],
      on: {
        '*': {
          actions: ({ event }) => {
            if (!event.type.startsWith('xstate.')) told.push(event);
          },
        },
      },
    }),
  ).start();
  return { child: parent.getSnapshot().children['child'], told };
}

function membersUnder({
  userUuid = 'ann',
  role = 'owner' as Role,
  people = TEAM,
  remove = () => Promise.resolve(),
  keys = () => Promise.resolve<readonly MadeApiKey[]>([]),
  fresh = (member: Member): Member => member,
} = {}) {
  const answered = (uuid: string) => people.members.find((member) => member.uuid === uuid) ?? person(uuid, 'member');
  const asked: unknown[] = [];
  const logic = membersMachine.provide({
    actors: {
      loadPeople: fromPromise(async ({ input }) => {
        asked.push(input);
        return people;
      }),
      loadMember: fromPromise(async ({ input }: { input: { orgUuid: string; userUuid: string } }) =>
        fresh(answered(input.userUuid)),
      ),
      roleForm: roleForm.provide({
        actors: {
          submit: fromPromise(async ({ input: { about, values } }) => ({
            ...answered(about.userUuid),
            role: values.role,
          })),
        },
      }),
      memberRemoval: memberRemovalMachine.provide({
        actors: {
          loadMadeKeys: fromPromise(async ({ input }) => {
            asked.push(input);
            return keys();
          }),
        },
      }),
      removeEntry: fromPromise<void, EntryRemoval>(async ({ input }) => {
        asked.push(input);
        await remove();
      }),
    },
  });
  const { child, told } = under(logic, { orgUuid: 'o1', userUuid, role });
  const actor = child as ReturnType<typeof createActor<typeof membersMachine>>;
  const uuids = () => actor.getSnapshot().context.members.map(({ uuid }) => uuid);
  const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ ready: 'listed' }));
  /** The question about another member, once the list of their keys is there or cannot be. */
  const question = async () => {
    const { memberRemoval } = actor.getSnapshot().children;
    if (!memberRemoval) throw new Error('Nothing is asked about a member.');
    await waitFor(memberRemoval, (snapshot) => !snapshot.hasTag('loading'));
    return memberRemoval;
  };
  return { actor, told, asked, uuids, listed, question };
}

const removal = (uuid: string, kind: 'member' | 'invitation' = 'member') => ({
  type: 'removal.requested' as const,
  entry: { kind, uuid, name: uuid },
});

describe('what may be done to members', () => {
  const known = (userUuid: string, role: Role) => ({ userUuid, role, ...TEAM });

  it('ORG-05 ORG-08: roles that each may give, by whose they are', () => {
    const offered = (userUuid: string, role: Role) =>
      Object.fromEntries(TEAM.members.map((member) => [member.uuid, rolesFor(known(userUuid, role), member).length]));
    expect(offered('ann', 'owner')).toEqual({ ann: 0, bob: 4, eve: 4 });
    expect(offered('bob', 'admin')).toEqual({ ann: 0, bob: 3, eve: 3 });
    expect(offered('eve', 'member')).toEqual({ ann: 0, bob: 0, eve: 0 });
  });

  it('ORG-05 ORG-08: who removes whom, and who can leave', () => {
    const removable = (userUuid: string, role: Role) =>
      TEAM.members.filter((member) => isRemovable(known(userUuid, role), member)).map(({ uuid }) => uuid);
    expect([removable('ann', 'owner'), removable('bob', 'admin'), removable('eve', 'member')]).toEqual([
      ['bob', 'eve'],
      ['eve'],
      [],
    ]);
    expect([
      canLeave(known('ann', 'owner')),
      canLeave(known('bob', 'admin')),
      canLeave(known('eve', 'member')),
    ]).toEqual([false, true, true]);
    expect(canLeave({ ...known('ann', 'owner'), members: [...TEAM.members, person('olga', 'owner')] })).toBe(true);
    expect(ROLES.filter((role) => seesInvitations({ role }))).toEqual(['owner', 'admin']);
    expect(ROLES.map((role) => isRevocable({ role: 'admin' }, { ...invited, role }))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('ORG-08: invitations are not asked for by a role that may not read them, nor anything removed', async () => {
    const { actor, asked, listed } = membersUnder({ userUuid: 'eve', role: 'member' });
    await listed();
    expect(asked).toEqual([{ orgUuid: 'o1', withInvitations: false }]);
    actor.send(removal('bob'));
    actor.send(removal('i1', 'invitation'));
    actor.send({ type: 'role.change.requested', member: person('bob', 'admin') });
    expect(actor.getSnapshot().matches({ ready: 'listed' })).toBe(true);
  });
});

describe('members', () => {
  it('ORG-05: a removed member is gone before the server agrees', async () => {
    const answer = later<void>();
    const { actor, told, uuids, listed, question } = membersUnder({ remove: () => answer.promise });
    await listed();
    actor.send(removal('bob'));
    expect(uuids()).toEqual(['ann', 'bob', 'eve']);
    (await question()).send({ type: 'removal.confirmed' });
    expect(uuids()).toEqual(['ann', 'eve']);
    expect(told).toEqual([]);
    answer.resolve();
    await listed();
    expect(told).toEqual([{ type: 'toast.requested', kind: 'success', text: 'Success! Member was removed.' }]);
  });

  it('ORG-05: one that the server keeps comes back to its place, with the reason', async () => {
    const { actor, told, uuids, listed, question } = membersUnder({
      remove: () =>
        Promise.reject(new CallError({ message: 'Somebody has to stay an owner.', kind: 'HTTP', status: 400 })),
    });
    await listed();
    actor.send(removal('bob'));
    (await question()).send({ type: 'removal.confirmed' });
    await listed();
    expect(uuids()).toEqual(['ann', 'bob', 'eve']);
    expect(told).toEqual([
      {
        type: 'toast.requested',
        kind: 'error',
        text: 'Error! Failed to remove member. Somebody has to stay an owner.',
      },
    ]);
  });

  it('ORG-05: an invitation is revoked the same way', async () => {
    const { actor, told, asked, listed } = membersUnder();
    await listed();
    actor.send(removal('i1', 'invitation'));
    actor.send({ type: 'removal.confirmed' });
    await listed();
    expect(asked.at(-1)).toEqual({ orgUuid: 'o1', kind: 'invitation', uuid: 'i1', revokesKeys: false });
    expect(actor.getSnapshot().context.invitations).toEqual([]);
    expect(told).toEqual([{ type: 'toast.requested', kind: 'success', text: 'Success! Invitation was revoked.' }]);
  });

  describe('SEC-13: whoever removes a member is told which API keys they made', () => {
    const key = {
      uuid: 'k1',
      name: 'Nightly',
      masked_key: 'pk_1…9f',
      created_at: at,
      created_by: 'bob@example.com',
      last_used_at: null,
      expires_at: null,
      project: { uuid: 'p1', name: 'Tapes' },
    };
    const removed = (revokesKeys: boolean) => ({ orgUuid: 'o1', kind: 'member', uuid: 'bob', revokesKeys });
    const success = (text: string) => [{ type: 'toast.requested', kind: 'success', text }];

    it('and revokes them in the same step on request', async () => {
      const { actor, told, asked, listed, question } = membersUnder({ keys: async () => [key] });
      await listed();
      actor.send(removal('bob'));
      const asking = await question();
      expect(asked.at(-1)).toEqual({ orgUuid: 'o1', userUuid: 'bob', projectUuid: null });
      expect(asking.getSnapshot().context).toMatchObject({ keys: [key], revokesKeys: false });
      asking.send({ type: 'revocation.chosen', revokesKeys: true });
      asking.send({ type: 'removal.confirmed' });
      await listed();
      expect(asked.at(-1)).toEqual(removed(true));
      expect(told).toEqual(success('Success! Member was removed, and every API key they made was revoked.'));
    });

    it('and keeps them where nothing is chosen, the choice for one never being that for the next', async () => {
      const { actor, told, asked, listed, question } = membersUnder({ keys: async () => [key] });
      await listed();
      actor.send(removal('eve'));
      const first = await question();
      first.send({ type: 'revocation.chosen', revokesKeys: true });
      first.send({ type: 'removal.dismissed' });
      await listed();
      actor.send(removal('bob'));
      (await question()).send({ type: 'removal.confirmed' });
      await listed();
      expect(asked.slice(1)).toEqual([
        { orgUuid: 'o1', userUuid: 'eve', projectUuid: null },
        { orgUuid: 'o1', userUuid: 'bob', projectUuid: null },
        removed(false),
      ]);
      expect(told).toEqual(success('Success! Member was removed.'));
    });

    it('and is not held up where they cannot be read', async () => {
      let calls = 0;
      const { actor, asked, listed, question } = membersUnder({
        keys: async () => {
          calls += 1;
          throw new CallError({ message: 'The disk is full.', kind: 'HTTP', status: 500 });
        },
      });
      await listed();
      actor.send(removal('bob'));
      const asking = await question();
      expect(asking.getSnapshot().context.failure).toMatchObject({ message: 'The disk is full.' });
      asking.send({ type: 'retry.requested' });
      await question();
      expect(calls).toBe(2);
      asking.send({ type: 'removal.confirmed' });
      await listed();
      expect(asked.at(-1)).toEqual(removed(false));
    });
  });

  it('ORG-05: who leaves is led home once the memberships are read again', async () => {
    const { actor, told, listed } = membersUnder({ userUuid: 'eve', role: 'member' });
    await listed();
    actor.send(removal('eve'));
    actor.send({ type: 'removal.confirmed' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('left'));
    expect(told).toEqual([
      { type: 'memberships.stale', route: { screen: 'home' } },
      { type: 'toast.requested', kind: 'success', text: 'Success! You left the organization.' },
    ]);
  });

  it('ORG-05: one who changes their own role is offered no more than the new one may', async () => {
    const { actor, told, listed } = membersUnder({ userUuid: 'bob', role: 'admin' });
    await listed();
    actor.send({ type: 'role.change.requested', member: person('bob', 'admin') });
    await waitFor(actor, (snapshot) => snapshot.children.roleForm !== undefined);
    const form = actor.getSnapshot().children.roleForm;
    form?.send({ type: 'field.changed', field: 'role', value: 'billing' });
    form?.send({ type: 'submit.requested' });
    await listed();
    const { context } = actor.getSnapshot();
    expect(context).toMatchObject({ role: 'billing', changing: null });
    expect(context.members.some((member) => rolesFor(context, member).length > 0)).toBe(false);
    expect(told[0]).toEqual({ type: 'memberships.stale', route: null });
  });

  it('ORG-05: a role that somebody else has changed meanwhile shows before it is changed again', async () => {
    const { actor, listed } = membersUnder({
      userUuid: 'bob',
      role: 'admin',
      fresh: (member) => ({ ...member, role: 'owner' }),
    });
    await listed();
    actor.send({ type: 'role.change.requested', member: person('eve', 'member') });
    await listed();
    expect(actor.getSnapshot().context.members.find(({ uuid }) => uuid === 'eve')?.role).toBe('owner');
    expect(actor.getSnapshot().children.roleForm).toBeUndefined();
  });
});

describe('inviting', () => {
  function invite(values: Record<string, string>) {
    const sent: InvitationCreate[] = [];
    const form = invitationForm.provide({
      actors: {
        submit: fromPromise(async ({ input }: { input: Submitted<InvitationCreate, { orgUuid: string }> }) => {
          expect(input.about).toEqual({ orgUuid: 'o1' });
          sent.push(input.values);
          return invited;
        }),
      },
    });
    const { child, told } = under(invitationMachine.provide({ actors: { form } }), {
      orgUuid: 'o1',
      role: 'admin',
      drafts: [],
    });
    const actor = child as ReturnType<typeof createActor<typeof invitationMachine>>;
    for (const [field, value] of Object.entries(values))
      actor.getSnapshot().children.form?.send({ type: 'field.changed', field: field as 'email', value });
    actor.getSnapshot().children.form?.send({ type: 'submit.requested' });
    return { actor, sent, told };
  }

  it('ORG-05: sends the projects of a member only, and only where some were chosen', async () => {
    for (const [values, project_uuids] of [
      [{ scope: 'all', projects: 'p1' }, undefined],
      [{ scope: 'chosen', projects: 'p1,p2' }, ['p1', 'p2']],
      [{ scope: 'chosen', projects: 'p1', role: 'billing' }, undefined],
    ] as const) {
      const { actor, sent } = invite({ email: ' cy@example.com ', ...values });
      await waitFor(actor, (snapshot) => snapshot.matches('sent'));
      expect(sent[0]).toEqual({
        email: 'cy@example.com',
        role: 'role' in values ? values.role : 'member',
        ...(project_uuids ? { project_uuids } : {}),
      });
    }
  });

  it('CON-03: where an invitation is pending it asks, and sends only what was decided', async () => {
    const refused = new CallError({ kind: 'HTTP', status: 400, errorType: 'invitation_pending', message: 'Pending.' });
    const form = invitationForm.provide({
      actors: {
        submit: fromPromise<Invitation, Submitted<InvitationCreate, { orgUuid: string }>>(async () => {
          throw refused;
        }),
      },
    });
    const sent: InvitationCreate[] = [];
    const { child, told } = under(
      invitationMachine.provide({
        actors: {
          form,
          loadInvitations: fromPromise<readonly Invitation[], { orgUuid: string }>(async () => [invited]),
          sendInvitation: fromPromise(
            async ({ input }: { input: Submitted<InvitationCreate, { orgUuid: string }> }) => {
              expect(input.about).toEqual({ orgUuid: 'o1' });
              sent.push(input.values);
              return invited;
            },
          ),
        },
      }),
      { orgUuid: 'o1', role: 'admin', drafts: [] },
    );
    const actor = child as ReturnType<typeof createActor<typeof invitationMachine>>;
    const submit = (): void => {
      for (const [field, value] of [
        ['email', 'CY@example.com'],
        ['role', 'billing'],
      ] as const)
        actor.getSnapshot().children.form?.send({ type: 'field.changed', field, value });
      actor.getSnapshot().children.form?.send({ type: 'submit.requested' });
    };
    submit();
    await waitFor(actor, (snapshot) => snapshot.matches({ pending: 'deciding' }));
    expect([actor.getSnapshot().context.pending, actor.getSnapshot().context.failure, sent, told]).toEqual([
      invited,
      null,
      [],
      [],
    ]);
    actor.send({ type: 'pending.dismissed' });
    expect(actor.getSnapshot().children.form?.getSnapshot().context.values).toMatchObject({
      email: 'CY@example.com',
      role: 'billing',
    });
    submit();
    await waitFor(actor, (snapshot) => snapshot.matches({ pending: 'deciding' }));
    actor.send({ type: 'change.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches('sent'));
    expect(sent).toEqual([{ email: 'CY@example.com', role: 'billing', if_pending: 'change' }]);
    expect(told).toHaveLength(2);
  });

  it('CON-03: while the answer to the question is on its way it can be left, once that was asked', async () => {
    const refused = new CallError({ kind: 'HTTP', status: 400, errorType: 'invitation_pending', message: 'Pending.' });
    const answer = later<Invitation>();
    const { child } = under(
      invitationMachine.provide({
        actors: {
          form: invitationForm.provide({
            actors: {
              submit: fromPromise<Invitation, Submitted<InvitationCreate, { orgUuid: string }>>(async () => {
                throw refused;
              }),
            },
          }),
          loadInvitations: fromPromise<readonly Invitation[], { orgUuid: string }>(async () => [invited]),
          sendInvitation: fromPromise(() => answer.promise),
        },
      }),
      { orgUuid: 'o1', role: 'admin', drafts: [] },
    );
    const actor = child as ReturnType<typeof createActor<typeof invitationMachine>>;
    actor.getSnapshot().children.form?.send({ type: 'field.changed', field: 'email', value: 'cy@example.com' });
    actor.getSnapshot().children.form?.send({ type: 'submit.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches({ pending: 'deciding' }));
    actor.send({ type: 'resend.requested' });
    actor.send({ type: 'pending.dismissed' });
    expect(actor.getSnapshot().hasTag('asking')).toBe(true);
    expect(actor.getSnapshot().hasTag('sending')).toBe(true);
    actor.send({ type: 'discard.declined' });
    expect(actor.getSnapshot().hasTag('asking')).toBe(false);
    actor.send({ type: 'pending.dismissed' });
    actor.send({ type: 'discard.confirmed' });
    expect(actor.getSnapshot().hasTag('pending')).toBe(false);
    expect(actor.getSnapshot().children.form?.getSnapshot().context.values.email).toBe('cy@example.com');
  });

  it('ORG-02 ORG-05: asks for an address and, where only some are meant, for projects', () => {
    const { actor, sent } = invite({ email: 'cy', scope: 'chosen' });
    expect(actor.getSnapshot().children.form?.getSnapshot().context.errors).toEqual({
      email: 'Please enter a email address.',
    });
    const form = actor.getSnapshot().children.form;
    form?.send({ type: 'field.changed', field: 'email', value: 'cy@example.com' });
    form?.send({ type: 'submit.requested' });
    expect(form?.getSnapshot().context.errors).toEqual({ projects: 'Choose at least one project.' });
    expect(sent).toEqual([]);
  });

  it('ORG-05 ORG-08: offers the roles that may be given, and goes back to the members with a toast', async () => {
    const { actor, told } = invite({ email: 'cy@example.com' });
    expect(actor.getSnapshot().context.roles).toEqual(['admin', 'member', 'billing']);
    await waitFor(actor, (snapshot) => snapshot.matches('sent'));
    expect(told).toEqual([
      { type: 'toast.requested', kind: 'success', text: 'Success! cy@example.com was invited.' },
      { type: 'navigate.requested', to: { screen: 'members', orgUuid: 'o1' } },
    ]);
  });
});

it('ORG-06: an organization is deleted only by its name, typed', async () => {
  const deleted: unknown[] = [];
  const form = createActor(
    organizationSettings.deletionForm.provide({
      actors: {
        submit: fromPromise(async ({ input }) => {
          deleted.push(input);
        }),
      },
    }),
    { input: { about: { orgUuid: 'o1', projectUuid: '', name: 'Acme Ltd' } } },
  ).start();
  for (const typed of ['', 'acme ltd', 'Acme']) {
    form.send({ type: 'field.changed', field: 'typed', value: typed });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().context.errors.typed).toBe('Type the name of the organization exactly as it is.');
  }
  form.send({ type: 'field.changed', field: 'typed', value: 'Acme Ltd ' });
  form.send({ type: 'submit.requested' });
  await waitFor(form, (snapshot) => snapshot.status === 'done');
  expect(deleted).toHaveLength(1);
});
