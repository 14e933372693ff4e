import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { MemberApiKey } from '#contract/api-keys.ts';
import type { Invitation, InvitationCreate, Member } from '#contract/members.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { CallError } from '#machines/shared/failure.ts';
import { invitationForm } from '#machines/workspace/invitation/form.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import type { People } from '#machines/workspace/members/actors.ts';
import { roleForm } from '#machines/workspace/members/form.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import { canLeave, isRemovable, isRevocable, rolesFor, seesInvitations } from '#machines/workspace/members/select.ts';
import { invitation, later, memberKey, member as person } from '../people.ts';
import { toastsIn, underParent } from '../playground-fixtures.ts';

const invited = invitation();
const TEAM: People = {
  members: [person('ann', 'owner'), person('bob', 'admin'), person('eve', 'member')],
  invitations: [invited],
};
const GONE = new CallError({ message: 'Not found.', kind: 'HTTP', status: 404 });

/** The members, read and listed, as the person with that role sees them. */
async function open({
  userUuid = 'ann',
  role = 'owner' as Role,
  read = () => Promise.resolve(TEAM),
  remove = () => Promise.resolve(),
  keys = () => Promise.resolve<readonly MemberApiKey[]>([]),
  fresh = (member: Member): Member => member,
} = {}) {
  const known = (uuid: string) => TEAM.members.find((member) => member.uuid === uuid) ?? person(uuid, 'member');
  const asked: unknown[] = [];
  const logic = membersMachine.provide({
    actors: {
      loadPeople: fromPromise(({ input }) => {
        asked.push(input);
        return read();
      }),
      loadMember: fromPromise(async ({ input }) => fresh(known(input.userUuid))),
      roleForm: roleForm.provide({
        actors: {
          submit: fromPromise(async ({ input: { about, values } }) => ({
            ...known(about.userUuid),
            role: values.role,
          })),
        },
      }),
      memberRemoval: memberRemovalMachine.provide({
        actors: {
          loadMemberKeys: fromPromise(({ input }) => {
            asked.push(input);
            return keys();
          }),
        },
      }),
      removeEntry: fromPromise(({ input }) => {
        asked.push(input);
        return remove();
      }),
    },
  });
  const { child: actor, told } = underParent(logic, { orgUuid: 'o1', userUuid, role });
  const uuids = () => actor.getSnapshot().context.members.map(({ uuid }) => uuid);
  const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ ready: 'listed' }));
  /** The question about another member, once the list of their keys is there or cannot be. */
  const question = async () => {
    const { memberRemoval } = actor.getSnapshot().children;
    if (!memberRemoval) throw new Error('Nothing is asked about a member.');
    await waitFor(memberRemoval, (snapshot) => !snapshot.hasTag('loading'));
    return memberRemoval;
  };
  const ask = (uuid: string) => {
    const kind = uuid === invited.uuid ? ('invitation' as const) : ('member' as const);
    actor.send({ type: 'removal.requested', entry: { kind, uuid, name: uuid } });
  };
  /** Removes another member, with the keys that they made or without. */
  const removeMember = async (uuid: string, revokesKeys = false) => {
    ask(uuid);
    const asking = await question();
    asking.send({ type: 'revocation.chosen', revokesKeys });
    asking.send({ type: 'removal.confirmed' });
  };
  /** Revokes an invitation, or leaves. */
  const removeAtOnce = (uuid: string) => {
    ask(uuid);
    actor.send({ type: 'removal.confirmed' });
  };
  await listed();
  return { actor, told, asked, uuids, listed, question, ask, removeMember, removeAtOnce };
}

describe('what may be done to members', () => {
  const known = (userUuid: string, role: Role) => ({ userUuid, role, ...TEAM });

  it('ORG-05 ORG-08: roles that each may give, by whose they are', () => {
    const offered = (userUuid: string, role: Role) =>
      Object.fromEntries(TEAM.members.map((member) => [member.uuid, rolesFor(known(userUuid, role), member).length]));
    expect(offered('ann', 'owner')).toEqual({ ann: 0, bob: 4, eve: 4 });
    expect(offered('bob', 'admin')).toEqual({ ann: 0, bob: 3, eve: 3 });
    expect(offered('eve', 'member')).toEqual({ ann: 0, bob: 0, eve: 0 });
  });

  it.each<[string, Role, string[], boolean]>([
    ['ann', 'owner', ['bob', 'eve'], false],
    ['bob', 'admin', ['eve'], true],
    ['eve', 'member', [], true],
  ])('ORG-05 ORG-08: %s, %s, removes %j; may leave: %s', (uuid, role, removable, leaves) => {
    const { members } = TEAM;
    expect(members.filter((member) => isRemovable(known(uuid, role), member)).map((member) => member.uuid)).toEqual(
      removable,
    );
    expect(canLeave(known(uuid, role))).toBe(leaves);
    expect(canLeave({ ...known(uuid, role), members: [...members, person('olga', 'owner')] })).toBe(true);
  });

  it('ORG-08: who sees invitations, and which of them an admin revokes', () => {
    expect(ROLES.filter((role) => seesInvitations({ role }))).toEqual(['owner', 'admin']);
    expect(ROLES.filter((role) => isRevocable({ role: 'admin' }, { ...invited, role }))).toEqual(
      ROLES.filter((role) => role !== 'owner'),
    );
  });

  it('ORG-08: invitations are not asked for by a role that may not read them, nor anything removed', async () => {
    const { actor, asked, ask } = await open({ userUuid: 'eve', role: 'member' });
    expect(asked).toEqual([{ orgUuid: 'o1', withInvitations: false }]);
    ask('bob');
    ask('i1');
    actor.send({ type: 'role.change.requested', member: person('bob', 'admin') });
    expect(actor.getSnapshot().matches({ ready: 'listed' })).toBe(true);
  });
});

describe('members', () => {
  it('ORG-05: a removed member is gone before the server agrees', async () => {
    const answer = later<void>();
    const { told, uuids, listed, question, ask } = await open({ remove: () => answer.promise });
    ask('bob');
    expect(uuids()).toEqual(['ann', 'bob', 'eve']);
    (await question()).send({ type: 'removal.confirmed' });
    expect(uuids()).toEqual(['ann', 'eve']);
    expect(told).toEqual([]);
    answer.resolve();
    await listed();
    expect(toastsIn(told)).toEqual(['success: Success! Member was removed.']);
  });

  it('ORG-05: one that the server keeps comes back to its place, with the reason', async () => {
    const refusal = new CallError({ message: 'Somebody has to stay an owner.', kind: 'HTTP', status: 400 });
    const { told, uuids, listed, removeMember } = await open({ remove: () => Promise.reject(refusal) });
    await removeMember('bob');
    await listed();
    expect(uuids()).toEqual(['ann', 'bob', 'eve']);
    expect(toastsIn(told)).toEqual(['error: Error! Failed to remove member. Somebody has to stay an owner.']);
  });

  it('ORG-05: an invitation that the server keeps comes back, with the reason', async () => {
    const refusal = new CallError({ message: 'The disk is full.', kind: 'HTTP', status: 500 });
    const { actor, told, listed, removeAtOnce } = await open({ remove: () => Promise.reject(refusal) });
    removeAtOnce('i1');
    await listed();
    expect(actor.getSnapshot().context.invitations).toEqual([invited]);
    expect(toastsIn(told)).toEqual(['error: Error! Failed to revoke invitation. The disk is full.']);
  });

  describe.each([
    ['is there', () => Promise.resolve()],
    ['is gone already', () => Promise.reject(GONE)],
  ])('ORG-05: who %s', (_name, remove) => {
    it('as an invitation is revoked', async () => {
      const { actor, told, asked, listed, removeAtOnce } = await open({ remove });
      removeAtOnce('i1');
      await listed();
      expect(asked.at(-1)).toEqual({ orgUuid: 'o1', kind: 'invitation', uuid: 'i1', revokesKeys: false });
      expect(actor.getSnapshot().context.invitations).toEqual([]);
      expect(toastsIn(told)).toEqual(['success: Success! Invitation was revoked.']);
    });

    it('as a member is removed', async () => {
      const { actor, told, uuids, listed, removeMember } = await open({ remove });
      await removeMember('eve');
      await listed();
      expect([uuids(), actor.getSnapshot().context.before]).toEqual([['ann', 'bob'], null]);
      expect(toastsIn(told)).toEqual(['success: Success! Member was removed.']);
    });

    it('as oneself leaves, and UXP-98: is led to what is left once the memberships are read again', async () => {
      const { actor, told, removeAtOnce } = await open({ userUuid: 'eve', role: 'member', remove });
      removeAtOnce('eve');
      await waitFor(actor, (snapshot) => snapshot.hasTag('left'));
      expect(told).toEqual([
        { type: 'memberships.stale', route: { screen: 'welcome' } },
        { type: 'toast.requested', kind: 'success', text: 'Success! You left the organization.' },
      ]);
    });
  });

  describe('SEC-13: whoever removes a member is told which API keys they made', () => {
    const key = memberKey('k1');
    const keys = async () => [key];
    const removed = (revokesKeys: boolean) => ({ orgUuid: 'o1', kind: 'member', uuid: 'bob', revokesKeys });

    it('and revokes them in the same step on request', async () => {
      const { told, asked, listed, question, ask } = await open({ keys });
      ask('bob');
      const asking = await question();
      expect(asked.at(-1)).toEqual({ orgUuid: 'o1', userUuid: 'bob', projectUuid: null });
      expect(asking.getSnapshot().context).toMatchObject({ keys: [key], revokesKeys: false });
      asking.send({ type: 'revocation.chosen', revokesKeys: true });
      asking.send({ type: 'removal.confirmed' });
      await listed();
      expect(asked.at(-1)).toEqual(removed(true));
      expect(toastsIn(told)).toEqual([
        'success: Success! Member was removed, and every API key they made was revoked.',
      ]);
    });

    it('which are not called revoked where the member is gone already: nobody knows', async () => {
      const { told, listed, removeMember } = await open({ keys, remove: () => Promise.reject(GONE) });
      await removeMember('bob', true);
      await listed();
      expect(toastsIn(told)).toEqual([
        'notice: The member had already been removed. Their API keys may still work: look for them among the API keys of each project.',
      ]);
    });

    it('and keeps them where nothing is chosen, the choice for one never being that for the next', async () => {
      const { told, asked, listed, question, ask } = await open({ keys });
      ask('eve');
      const first = await question();
      first.send({ type: 'revocation.chosen', revokesKeys: true });
      first.send({ type: 'removal.dismissed' });
      await listed();
      ask('bob');
      (await question()).send({ type: 'removal.confirmed' });
      await listed();
      expect(asked.slice(1)).toEqual([
        { orgUuid: 'o1', userUuid: 'eve', projectUuid: null },
        { orgUuid: 'o1', userUuid: 'bob', projectUuid: null },
        removed(false),
      ]);
      expect(toastsIn(told)).toEqual(['success: Success! Member was removed.']);
    });

    it('and is not held up where they cannot be read', async () => {
      let calls = 0;
      const { asked, listed, question, ask } = await open({
        keys: async () => {
          calls += 1;
          throw new CallError({ message: 'The disk is full.', kind: 'HTTP', status: 500 });
        },
      });
      ask('bob');
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

  it('ORG-05: one who changes their own role is offered no more than the new one may', async () => {
    const { actor, told, listed } = await open({ userUuid: 'bob', role: 'admin' });
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
    const { actor, listed } = await open({
      userUuid: 'bob',
      role: 'admin',
      fresh: (member) => ({ ...member, role: 'owner' }),
    });
    actor.send({ type: 'role.change.requested', member: person('eve', 'member') });
    await listed();
    expect(actor.getSnapshot().context.members.find(({ uuid }) => uuid === 'eve')?.role).toBe('owner');
    expect(actor.getSnapshot().children.roleForm).toBeUndefined();
  });

  it('ORG-05: one who cannot be read before their role is changed is said, and the list is read again', async () => {
    const { actor, told, asked, listed } = await open({
      fresh: () => {
        throw new CallError({ message: 'The disk is full.', kind: 'HTTP', status: 500 });
      },
    });
    actor.send({ type: 'role.change.requested', member: person('bob', 'admin') });
    await listed();
    expect(toastsIn(told)).toEqual(['error: Error! Failed to load member. The disk is full.']);
    expect(asked).toHaveLength(2);
  });

  it('CON-04: changes by others are read again, at once or after an open question; nothing closes, a failure is said', async () => {
    const reads = ['ann', 'ann bob', 'ann bob cy'];
    const { actor, asked, uuids, question, ask } = await open({
      read: async () => {
        const names = reads.shift();
        if (names === undefined) throw new CallError({ message: 'Away.', kind: 'HTTP', status: 503 });
        const members = names.split(' ').map((name) => person(name, name === 'ann' ? 'owner' : 'member'));
        return { members, invitations: [] };
      },
    });
    actor.send({ type: 'screen.stale' });
    expect(actor.getSnapshot().hasTag('loading')).toBe(false);
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: { listed: 'current' } }));
    expect(uuids()).toEqual(['ann', 'bob']);
    ask('bob');
    actor.send({ type: 'screen.stale' });
    expect([actor.getSnapshot().hasTag('confirming'), reads.length]).toEqual([true, 1]);
    (await question()).send({ type: 'removal.dismissed' });
    await expect.poll(uuids).toEqual(['ann', 'bob', 'cy']);
    actor.send({ type: 'screen.stale' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('outdated'));
    expect(actor.getSnapshot().context.failure?.message).toBe('Away.');
    expect(asked).toHaveLength(5);
  });
});

describe('inviting', () => {
  /** The screen with a server that takes an invitation, or knows of one that is pending. */
  function invite(values: Record<string, string>, { isPending = false, answer = async () => invited } = {}) {
    const sent: InvitationCreate[] = [];
    const send = fromPromise<Invitation, { about: { orgUuid: string }; values: InvitationCreate }>(({ input }) => {
      expect(input.about).toEqual({ orgUuid: 'o1' });
      sent.push(input.values);
      return answer();
    });
    const { child: actor, told } = underParent(
      invitationMachine.provide({
        actors: {
          form: isPending
            ? invitationForm.provide({
                actors: {
                  submit: fromPromise(() =>
                    Promise.reject(
                      new CallError({
                        kind: 'HTTP',
                        status: 400,
                        errorType: 'invitation_pending',
                        message: 'Pending.',
                      }),
                    ),
                  ),
                },
              })
            : invitationForm.provide({ actors: { submit: send } }),
          loadInvitations: fromPromise(async (): Promise<readonly Invitation[]> => [invited]),
          sendInvitation: send,
        },
      }),
      { orgUuid: 'o1', role: 'admin', drafts: [] },
    );
    const form = () => {
      const { form: opened } = actor.getSnapshot().children;
      if (!opened) throw new Error('The form is not open.');
      return opened;
    };
    const submit = (typed = values) => {
      for (const [field, value] of Object.entries(typed))
        form().send({ type: 'field.changed', field: field as 'email', value });
      form().send({ type: 'submit.requested' });
    };
    submit();
    const until = (state: 'sent' | { pending: 'deciding' }) => waitFor(actor, (snapshot) => snapshot.matches(state));
    return { actor, form, submit, sent, told, until };
  }

  it.each([
    ['of all projects', { scope: 'all', projects: 'p1' }, {}],
    ['of some projects', { scope: 'chosen', projects: 'p1,p2' }, { project_uuids: ['p1', 'p2'] }],
    ['of no projects by its role', { scope: 'chosen', projects: 'p1', role: 'billing' }, { role: 'billing' }],
  ])('ORG-05: sends the projects of a member only, and only where some were chosen: %s', async (_name, typed, more) => {
    const { sent, until } = invite({ email: ' cy@example.com ', ...typed });
    await until('sent');
    expect(sent).toEqual([{ email: 'cy@example.com', role: 'member', ...more }]);
  });

  it('CON-03: where an invitation is pending it asks, and sends only what was decided', async () => {
    const typed = { email: 'CY@example.com', role: 'billing' };
    const { actor, form, submit, sent, told, until } = invite(typed, { isPending: true });
    const { pending, failure } = (await until({ pending: 'deciding' })).context;
    expect([pending, failure, sent, told]).toEqual([invited, null, [], []]);
    actor.send({ type: 'pending.dismissed' });
    expect(form().getSnapshot().context.values).toMatchObject(typed);
    submit();
    await until({ pending: 'deciding' });
    actor.send({ type: 'change.requested' });
    await until('sent');
    expect(sent).toEqual([{ ...typed, if_pending: 'change' }]);
    expect(told).toHaveLength(2);
  });

  it('CON-03: while the answer to the question is on its way it can be left, once that was asked', async () => {
    const { actor, form, until } = invite(
      { email: 'cy@example.com' },
      { isPending: true, answer: () => new Promise<Invitation>(() => {}) },
    );
    const tags = () => (['pending', 'sending', 'asking'] as const).filter((tag) => actor.getSnapshot().hasTag(tag));
    await until({ pending: 'deciding' });
    actor.send({ type: 'resend.requested' });
    actor.send({ type: 'pending.dismissed' });
    expect(tags()).toEqual(['pending', 'sending', 'asking']);
    actor.send({ type: 'discard.declined' });
    expect(tags()).toEqual(['pending', 'sending']);
    actor.send({ type: 'pending.dismissed' });
    actor.send({ type: 'discard.confirmed' });
    expect(tags()).toEqual([]);
    expect(form().getSnapshot().context.values.email).toBe('cy@example.com');
  });

  it('ORG-02 ORG-05: asks for an address and, where only some are meant, for projects', () => {
    const { form, submit, sent } = invite({ email: 'cy', scope: 'chosen' });
    expect(form().getSnapshot().context.errors).toEqual({ email: 'Please enter a email address.' });
    submit({ email: 'cy@example.com' });
    expect(form().getSnapshot().context.errors).toEqual({ projects: 'Choose at least one project.' });
    expect(sent).toEqual([]);
  });

  it('ORG-05 ORG-08: offers the roles that may be given, and goes back to the members with a toast', async () => {
    const { actor, told, until } = invite({ email: 'cy@example.com' });
    expect(actor.getSnapshot().context.roles).toEqual(['admin', 'member', 'billing']);
    await until('sent');
    expect(told).toEqual([
      { type: 'toast.requested', kind: 'success', text: 'Success! cy@example.com was invited.' },
      { type: 'navigate.requested', to: { screen: 'members', orgUuid: 'o1' } },
    ]);
  });
});
