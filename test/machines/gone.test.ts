// What is removed: carried through beside what is done meanwhile, gone already as good as removed, and a refusal with its reason.
import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor, type ActorRefFrom } from 'xstate';
import type { ApiKey, MadeApiKey } from '#contract/api-keys.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { Removed } from '#machines/workspace/memberRemoval/actors.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import type { People } from '#machines/workspace/members/actors.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import type { ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import { later } from './people.ts';
import { underParent } from './playground-fixtures.ts';

const at = '2026-01-01T00:00:00Z';
const GONE = new CallError({ message: 'Not found.', kind: 'HTTP', status: 404 });
const REFUSED = new CallError({ message: 'Not while it is paid for.', kind: 'HTTP', status: 409 });
const toasts = (told: readonly { type: string }[]) => told.filter(({ type }) => type === 'toast.requested');
const toast = (kind: string, text: string) => [{ type: 'toast.requested', kind, text }];
const key = (uuid: string): ApiKey => ({
  uuid,
  name: uuid,
  masked_key: 'prl_ab…yz',
  created_at: at,
  created_by: null,
  last_used_at: null,
  expires_at: null,
});

describe('PRJ-03: revoking an API key', () => {
  function keys(revoke: () => Promise<void>, lists: (() => Promise<readonly ApiKey[]>)[] = []) {
    const left = [...lists];
    const { child, told } = underParent(
      apiKeysMachine.provide({
        actors: {
          loadKeys: fromPromise(async () => (left.shift() ?? (async () => [key('k1'), key('k2')]))()),
          revokeKey: fromPromise(revoke),
        },
      }),
      { orgUuid: 'o1', projectUuid: 'p1', isAsked: false, drafts: [] },
    );
    const actor = child as ActorRefFrom<typeof apiKeysMachine>;
    const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ keys: { ready: 'listed' } }));
    const idle = () => waitFor(actor, (snapshot) => !snapshot.hasTag('revoking'));
    const uuids = () => actor.getSnapshot().context.keys.map(({ uuid }) => uuid);
    const ask = () => {
      actor.send({ type: 'revoke.requested', key: key('k1') });
      actor.send({ type: 'revoke.confirmed' });
    };
    return { actor, told, listed, idle, uuids, ask };
  }

  it('finishes beside the form of a new key, and says so', async () => {
    const answer = later<void>();
    const { actor, told, listed, idle, uuids, ask } = keys(() => answer.promise);
    await listed();
    ask();
    actor.send({ type: 'key.create.requested' });
    actor.getSnapshot().children.keyForm?.send({ type: 'field.changed', field: 'name', value: 'CI' });
    expect(actor.getSnapshot().hasTag('revoking')).toBe(true);
    answer.resolve();
    await idle();
    expect(toasts(told)).toEqual(toast('success', 'Success! API key was revoked.'));
    expect(actor.getSnapshot().children.keyForm?.getSnapshot().context.values.name).toBe('CI');
    expect(uuids()).toEqual(['k2']);
  });

  it('is not undone by a list that was asked for before', async () => {
    const [answer, second] = [later<void>(), later<readonly ApiKey[]>()];
    const { actor, listed, idle, uuids, ask } = keys(
      () => answer.promise,
      [async () => [key('k1'), key('k2')], () => second.promise],
    );
    await listed();
    ask();
    actor.send({ type: 'key.create.requested' });
    const form = actor.getSnapshot().children.keyForm;
    form?.send({ type: 'field.changed', field: 'name', value: 'CI' });
    form?.send({ type: 'submit.requested' });
    form?.send({ type: 'dismiss.requested' });
    form?.send({ type: 'discard.confirmed' });
    await waitFor(actor, (snapshot) => snapshot.matches({ keys: 'loading' }));
    answer.resolve();
    await idle();
    second.resolve([key('k1'), key('k2')]);
    await listed();
    expect(uuids()).toEqual(['k2']);
  });

  it('of one that is gone already counts as revoked', async () => {
    const { told, listed, idle, uuids, ask } = keys(() => Promise.reject(GONE));
    await listed();
    ask();
    await idle();
    expect(uuids()).toEqual(['k2']);
    expect(toasts(told)).toEqual(toast('success', 'Success! API key was revoked.'));
  });

  it('that is refused tells the reason, and leaves the key', async () => {
    const { actor, told, listed, idle, uuids, ask } = keys(() => Promise.reject(REFUSED));
    await listed();
    ask();
    await idle();
    expect(uuids()).toEqual(['k1', 'k2']);
    expect(toasts(told)).toEqual(toast('error', 'Error! Failed to revoke API key. Not while it is paid for.'));
    expect(actor.getSnapshot().can({ type: 'revoke.requested', key: key('k1') })).toBe(true);
  });
});

const person = (uuid: string) => ({
  uuid,
  email: `${uuid}@example.com`,
  name: '',
  role: 'member' as const,
  joined_at: at,
});
const removal = memberRemovalMachine.provide({
  actors: {
    loadMadeKeys: fromPromise<readonly MadeApiKey[], Removed>(async () => [
      { ...key('k1'), project: { uuid: 'p1', name: 'Tapes' } },
    ]),
  },
});

/** Answers the question about a member. */
async function confirm(asking: ActorRefFrom<typeof memberRemovalMachine> | undefined, revokesKeys: boolean) {
  if (!asking) throw new Error('Nothing is asked.');
  await waitFor(asking, (snapshot) => snapshot.hasTag('told'));
  asking.send({ type: 'revocation.chosen', revokesKeys });
  asking.send({ type: 'removal.confirmed' });
}

describe('ORG-05: removing who is gone already', () => {
  const invitation = {
    uuid: 'i1',
    email: 'cy@example.com',
    role: 'member' as const,
    project_uuids: null,
    invited_by: null,
    created_at: at,
    expires_at: at,
    link: '',
  };

  async function members(userUuid = 'ann') {
    const { child, told } = underParent(
      membersMachine.provide({
        actors: {
          loadPeople: fromPromise<People, { orgUuid: string; withInvitations: boolean }>(async () => ({
            members: [{ ...person('ann'), role: 'owner' as const }, person('bob')],
            invitations: [invitation],
          })),
          memberRemoval: removal,
          removeEntry: fromPromise(() => Promise.reject(GONE)),
        },
      }),
      { orgUuid: 'o1', userUuid, role: userUuid === 'ann' ? 'owner' : 'member' },
    );
    const actor = child as ActorRefFrom<typeof membersMachine>;
    const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ ready: 'listed' }));
    await listed();
    return { actor, told, listed };
  }

  it.each([
    [false, toast('success', 'Success! Member was removed.')],
    // Nobody knows whether the other removal revoked them.
    [
      true,
      toast(
        'notice',
        'The member had already been removed. Their API keys may still work: look for them among the API keys of each project.',
      ),
    ],
  ])('counts as removed; keys to be revoked (%s) are not called revoked', async (revokesKeys, said) => {
    const { actor, told, listed } = await members();
    actor.send({ type: 'removal.requested', entry: { kind: 'member', uuid: 'bob', name: 'bob' } });
    await confirm(actor.getSnapshot().children.memberRemoval, revokesKeys);
    await listed();
    expect(actor.getSnapshot().context).toMatchObject({ members: [{ uuid: 'ann' }], before: null });
    expect(toasts(told)).toEqual(said);
  });

  it('counts as removed for an invitation', async () => {
    const { actor, told, listed } = await members();
    actor.send({ type: 'removal.requested', entry: { kind: 'invitation', uuid: 'i1', name: 'cy' } });
    actor.send({ type: 'removal.confirmed' });
    await listed();
    expect(actor.getSnapshot().context.invitations).toEqual([]);
    expect(toasts(told)).toEqual(toast('success', 'Success! Invitation was revoked.'));
  });

  it('counts as left for oneself, and leads home', async () => {
    const { actor, told } = await members('bob');
    actor.send({ type: 'removal.requested', entry: { kind: 'member', uuid: 'bob', name: 'bob' } });
    actor.send({ type: 'removal.confirmed' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('left'));
    expect(told).toContainEqual({ type: 'memberships.stale', route: { screen: 'home' } });
    expect(toasts(told)).toEqual(toast('success', 'Success! You left the organization.'));
  });
});

describe('CON-04: members whom others change', () => {
  it('are read again at once, or as soon as a question about them is answered; nothing closes, and a failure is said', async () => {
    let reads = 0;
    let isAway = false;
    const { child } = underParent(
      membersMachine.provide({
        actors: {
          loadPeople: fromPromise<People, { orgUuid: string; withInvitations: boolean }>(async () => {
            reads += 1;
            if (isAway) throw new CallError({ message: 'Away.', kind: 'HTTP', status: 503 });
            return {
              members: [
                { ...person('ann'), role: 'owner' as const },
                ...(reads > 1 ? [person('bob')] : []),
                ...(reads > 2 ? [person('cy')] : []),
              ],
              invitations: [],
            };
          }),
          memberRemoval: removal,
        },
      }),
      { orgUuid: 'o1', userUuid: 'ann', role: 'owner' },
    );
    const actor = child as ActorRefFrom<typeof membersMachine>;
    const named = async (...names: string[]) => {
      await expect.poll(() => actor.getSnapshot().context.members.map(({ uuid }) => uuid)).toEqual(names);
    };
    await named('ann');
    actor.send({ type: 'screen.stale' });
    expect(actor.getSnapshot().hasTag('loading')).toBe(false);
    await named('ann', 'bob');
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: { listed: 'current' } }));
    actor.send({ type: 'removal.requested', entry: { kind: 'member', uuid: 'bob', name: 'bob' } });
    actor.send({ type: 'screen.stale' });
    expect(actor.getSnapshot().hasTag('confirming')).toBe(true);
    expect(reads).toBe(2);
    const asking = actor.getSnapshot().children.memberRemoval;
    if (!asking) throw new Error('Nothing is asked.');
    await waitFor(asking, (snapshot) => snapshot.hasTag('told'));
    asking.send({ type: 'removal.dismissed' });
    await named('ann', 'bob', 'cy');
    isAway = true;
    actor.send({ type: 'screen.stale' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('outdated'));
    expect(actor.getSnapshot().context.failure?.message).toBe('Away.');
  });
});

describe('PRJ-02: taking somebody out of a project who is gone already', () => {
  it.each([
    [false, toast('success', 'Success! Member was removed from the project.')],
    [
      true,
      toast(
        'notice',
        'The member had already been removed from the project. Their API keys may still work: look for them among the API keys.',
      ),
    ],
  ])('counts as removed, and the list is read again (keys to be revoked: %s)', async (revokesKeys, said) => {
    let reads = 0;
    const { child, told } = underParent(
      projectPeopleMachine.provide({
        actors: {
          loadProjectPeople: fromPromise<ProjectPeople, { orgUuid: string; projectUuid: string }>(async () => {
            reads += 1;
            return { people: reads === 1 ? [{ ...person('bob'), is_added: true }] : [], others: [] };
          }),
          memberRemoval: removal,
          removePerson: fromPromise(() => Promise.reject(GONE)),
        },
      }),
      { orgUuid: 'o1', projectUuid: 'p1' },
    );
    const actor = child as ActorRefFrom<typeof projectPeopleMachine>;
    const listed = () => waitFor(actor, (snapshot) => snapshot.matches('listed'));
    await listed();
    actor.send({ type: 'person.remove.requested', person: { ...person('bob'), is_added: true } });
    await confirm(actor.getSnapshot().children.memberRemoval, revokesKeys);
    await waitFor(actor, (snapshot) => snapshot.matches('listed') && reads === 2);
    expect(actor.getSnapshot().context.people).toEqual([]);
    expect(toasts(told)).toEqual(said);
  });
});
