// What is removed: carried through beside what is done meanwhile, gone already as good as removed, and a refusal with its reason.
import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { ApiKey, MemberApiKey } from '#contract/api-keys.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { memberRemovalMachine } from '#machines/workspace/memberRemoval/machine.ts';
import type { ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import { apiKey as key, later, memberKey, member } from '../people.ts';
import { toastsIn, underParent } from '../playground-fixtures.ts';

const GONE = new CallError({ message: 'Not found.', kind: 'HTTP', status: 404 });
const REFUSED = new CallError({ message: 'Not while it is paid for.', kind: 'HTTP', status: 409 });

describe('PRJ-03: revoking an API key', () => {
  /** Two keys, listed, of which one is revoked as the server answers; `second` is what a second reading tells. */
  async function revoking(revoke: () => Promise<void>, second = async () => [key('k1'), key('k2')]) {
    let reads = 0;
    const { child: actor, told } = underParent(
      apiKeysMachine.provide({
        actors: {
          loadKeys: fromPromise(async (): Promise<readonly ApiKey[]> => {
            reads += 1;
            return reads === 1 ? [key('k1'), key('k2')] : second();
          }),
          revokeKey: fromPromise(revoke),
        },
      }),
      { orgUuid: 'o1', projectUuid: 'p1', isAsked: false, drafts: [] },
    );
    const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ keys: { ready: 'listed' } }));
    const idle = () => waitFor(actor, (snapshot) => !snapshot.hasTag('revoking'));
    const uuids = () => actor.getSnapshot().context.keys.map(({ uuid }) => uuid);
    await listed();
    actor.send({ type: 'revoke.requested', key: key('k1') });
    actor.send({ type: 'revoke.confirmed' });
    return { actor, told, listed, idle, uuids };
  }

  it('finishes beside the form of a new key, and says so', async () => {
    const answer = later<void>();
    const { actor, told, idle, uuids } = await revoking(() => answer.promise);
    actor.send({ type: 'key.create.requested' });
    actor.getSnapshot().children.keyForm?.send({ type: 'field.changed', field: 'name', value: 'CI' });
    expect(actor.getSnapshot().hasTag('revoking')).toBe(true);
    answer.resolve();
    await idle();
    expect(toastsIn(told)).toEqual(['success: Success! API key was revoked.']);
    expect(actor.getSnapshot().children.keyForm?.getSnapshot().context.values.name).toBe('CI');
    expect(uuids()).toEqual(['k2']);
  });

  it('is not undone by a list that was asked for before', async () => {
    const [answer, second] = [later<void>(), later<ApiKey[]>()];
    const { actor, listed, idle, uuids } = await revoking(
      () => answer.promise,
      () => second.promise,
    );
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

  it.each([
    ['of one that is gone already counts as revoked', GONE, ['k2'], 'success: Success! API key was revoked.'],
    [
      'that is refused tells the reason, and leaves the key',
      REFUSED,
      ['k1', 'k2'],
      'error: Error! Failed to revoke API key. Not while it is paid for.',
    ],
  ])('%s', async (_name, answer, left, said) => {
    const { actor, told, idle, uuids } = await revoking(() => Promise.reject(answer));
    await idle();
    expect(uuids()).toEqual(left);
    expect(toastsIn(told)).toEqual([said]);
    expect(actor.getSnapshot().can({ type: 'revoke.requested', key: key('k2') })).toBe(true);
  });
});

describe('PRJ-02: taking somebody out of a project who is gone already', () => {
  const bob = { ...member('bob', 'member'), is_added: true };

  it.each([
    [false, 'success: Success! Member was removed from the project.'],
    [
      true,
      'notice: The member had already been removed from the project. Their API keys may still work: look for them among the API keys.',
    ],
  ])('counts as removed, and the list is read again (keys to be revoked: %s)', async (revokesKeys, said) => {
    let reads = 0;
    const { child: actor, told } = underParent(
      projectPeopleMachine.provide({
        actors: {
          loadProjectPeople: fromPromise(async (): Promise<ProjectPeople> => {
            reads += 1;
            return { people: reads === 1 ? [bob] : [], others: [] };
          }),
          memberRemoval: memberRemovalMachine.provide({
            actors: { loadMemberKeys: fromPromise(async (): Promise<readonly MemberApiKey[]> => [memberKey('k1')]) },
          }),
          removePerson: fromPromise(() => Promise.reject(GONE)),
        },
      }),
      { orgUuid: 'o1', projectUuid: 'p1' },
    );
    await waitFor(actor, (snapshot) => snapshot.matches('listed'));
    actor.send({ type: 'person.remove.requested', person: bob });
    const asking = actor.getSnapshot().children.memberRemoval;
    if (!asking) throw new Error('Nothing is asked.');
    await waitFor(asking, (snapshot) => snapshot.hasTag('loaded'));
    asking.send({ type: 'revocation.chosen', revokesKeys });
    asking.send({ type: 'removal.confirmed' });
    await waitFor(actor, (snapshot) => snapshot.matches('listed') && reads === 2);
    expect(actor.getSnapshot().context.people).toEqual([]);
    expect(toastsIn(told)).toEqual([said]);
  });
});
