import { describe, expect, it } from 'vitest';
import { removeMember, updateMember } from '#contract/api/members.ts';
import { deleteOrganization, readOrganization, updateOrganization } from '#contract/api/organizations.ts';
import {
  addProjectMember,
  createProject,
  deleteProject,
  removeProjectMember,
  revokeApiKey,
  updateProject,
} from '#contract/api/projects.ts';
import { updateUser } from '#contract/api/user.ts';
import { CallError, type Failure } from '#machines/shared/failure.ts';
import type { Caller } from '#src/effects/http/caller.ts';
import { createOwnChanges } from '#src/effects/http/ownChanges.ts';
import { later } from '../../../machines/people.ts';

const read = async (): Promise<string> => 'read';

/** Of a page whose calls are made by a server that answers once the gate is open. */
function watched(failure?: Failure, isOver = true) {
  const own = createOwnChanges();
  const gate = later<void>();
  if (isOver) gate.resolve();
  const caller = (async () => {
    await gate.promise;
    if (failure) throw new CallError(failure);
  }) as Caller;
  return { own, call: own.watch(caller), gate };
}

const organization = 'o1';
const project = 'p1';
const removeOrganization = (call: Caller) => call(deleteOrganization, { params: { organization }, query: {} });

describe('what a page does itself', () => {
  it.each<[string, (call: Caller) => Promise<unknown>, object]>([
    [
      'a changed organization',
      (call) => call(updateOrganization, { params: { organization }, json: { name: 'A', contact_email: 'a@b.c' } }),
      { uuid: 'o1', how: 'changed', userUuid: null },
    ],
    ['a removed organization', removeOrganization, { uuid: 'o1', how: 'removed', userUuid: null }],
    [
      'a changed member',
      (call) => call(updateMember, { params: { organization, user: 'u2' }, json: { role: 'admin' } }),
      { uuid: 'o1', how: 'changed', userUuid: 'u2' },
    ],
    [
      'a removed member',
      (call) => call(removeMember, { params: { organization, user: 'u2' }, query: {} }),
      { uuid: 'o1', how: 'removed', userUuid: 'u2' },
    ],
    [
      'a changed project',
      (call) => call(updateProject, { params: { project }, json: { name: 'P', description: '' } }),
      { uuid: 'p1', how: 'changed', userUuid: null },
    ],
    [
      'a removed project',
      (call) => call(deleteProject, { params: { project } }),
      { uuid: 'p1', how: 'removed', userUuid: null },
    ],
    [
      'a person removed from a project',
      (call) => call(removeProjectMember, { params: { project }, json: { user_uuid: 'u2' } }),
      { uuid: 'p1', how: 'removed', userUuid: 'u2' },
    ],
  ])('CON-04 %s is known by what it does, and to whom', async (_, make, expected) => {
    const { own, call, gate } = watched(undefined, false);
    const calling = make(call);
    expect(await own.during(read)).toEqual({ answer: 'read', own: [expected] });
    gate.resolve();
    await calling;
  });

  it.each<[string, (call: Caller) => Promise<unknown>]>([
    ['a reading', (call) => call(readOrganization, { params: { organization } })],
    [
      'a new project',
      (call) => call(createProject, { params: { organization }, json: { name: 'P', description: '' } }),
    ],
    [
      'a person added to a project',
      (call) => call(addProjectMember, { params: { project }, json: { user_uuid: 'u2' } }),
    ],
    ['a changed profile', (call) => call(updateUser, { json: { name: 'A' } })],
    ['a revoked key', (call) => call(revokeApiKey, { params: { project, key: 'k1' } })],
  ])('CON-04 %s is nothing of the kind', async (_, make) => {
    const { own, call } = watched();
    await make(call);
    expect((await own.during(read)).own).toEqual([]);
  });

  it('CON-04 what was done before a reading is told with it and forgotten; what goes on is told once more', async () => {
    const { own, call, gate } = watched(undefined, false);
    const calling = removeOrganization(call);
    expect((await own.during(read)).own).toHaveLength(1);
    gate.resolve();
    await calling;
    expect((await own.during(read)).own).toHaveLength(1);
    expect((await own.during(read)).own).toEqual([]);
  });

  it('CON-04 a reading that fails forgets nothing', async () => {
    const { own, call } = watched();
    await removeOrganization(call);
    await expect(own.during(() => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
    expect((await own.during(read)).own).toHaveLength(1);
  });

  it.each<[Failure['kind'], number]>([
    ['HTTP', 0],
    ['FETCH_ERROR', 1],
  ])('CON-04 after a failure of kind %s it counts for %i', async (kind, count) => {
    const { own, call } = watched({ kind, message: 'No.', ...(kind === 'HTTP' ? { status: 403 } : {}) });
    await expect(removeOrganization(call)).rejects.toThrow('No.');
    expect((await own.during(read)).own).toHaveLength(count);
  });
});
