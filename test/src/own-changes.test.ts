import { describe, expect, it } from 'vitest';
import { CallError, type Failure } from '#machines/shared/failure.ts';
import type { Caller } from '#src/effects/http/caller.ts';
import { createOwnChanges } from '#src/effects/http/ownChanges.ts';
import { later } from '../machines/people.ts';

const read = async (): Promise<string> => 'read';

function watched(failure?: Failure, isOver = true) {
  const own = createOwnChanges();
  const gate = later<void>();
  if (isOver) gate.resolve();
  const caller = (async () => {
    await gate.promise;
    if (failure) throw new CallError(failure);
  }) as Caller;
  const call = own.watch(caller);
  return {
    own,
    call: (...[method, path, json]: [Parameters<Caller>[0], string, unknown?]) =>
      call(method, path, { schema: undefined as never, json }),
    gate,
  };
}

describe('what a page does itself', () => {
  it.each<[Parameters<Caller>[0], string, unknown, object]>([
    ['put', 'organizations/o1/', {}, { uuid: 'o1', how: 'changed', userUuid: null }],
    ['delete', 'organizations/o1/', undefined, { uuid: 'o1', how: 'removed', userUuid: null }],
    ['put', 'organizations/o1/users/u2/', {}, { uuid: 'o1', how: 'changed', userUuid: 'u2' }],
    ['delete', 'organizations/o1/users/u2/', undefined, { uuid: 'o1', how: 'removed', userUuid: 'u2' }],
    ['put', 'projects/p1/', {}, { uuid: 'p1', how: 'changed', userUuid: null }],
    ['delete', 'projects/p1/users/', { user_uuid: 'u2' }, { uuid: 'p1', how: 'removed', userUuid: 'u2' }],
  ])('CON-04 %s %s is known by what it does, and to whom', async (method, path, json, expected) => {
    const { own, call, gate } = watched(undefined, false);
    const calling = call(method, path, json);
    expect(await own.during(read)).toEqual({ answer: 'read', own: [expected] });
    gate.resolve();
    await calling;
  });

  it.each<[Parameters<Caller>[0], string]>([
    ['get', 'organizations/o1/'],
    ['post', 'organizations/o1/projects/'],
    ['post', 'projects/p1/users/'],
    ['put', 'user/'],
    ['delete', 'projects/p1/api_keys/k1/'],
  ])('CON-04 %s %s is nothing of the kind', async (method, path) => {
    const { own, call } = watched();
    await call(method, path, {});
    expect((await own.during(read)).own).toEqual([]);
  });

  it('CON-04 what was done before a reading is told with it and forgotten; what goes on is told once more', async () => {
    const { own, call, gate } = watched(undefined, false);
    const calling = call('delete', 'organizations/o1/');
    expect((await own.during(read)).own).toHaveLength(1);
    gate.resolve();
    await calling;
    expect((await own.during(read)).own).toHaveLength(1);
    expect((await own.during(read)).own).toEqual([]);
  });

  it('CON-04 a reading that fails forgets nothing', async () => {
    const { own, call } = watched();
    await call('delete', 'organizations/o1/');
    await expect(own.during(() => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
    expect((await own.during(read)).own).toHaveLength(1);
  });

  it.each<[Failure['kind'], number]>([
    ['HTTP', 0],
    ['FETCH_ERROR', 1],
  ])('CON-04 after a failure of kind %s it counts for %i', async (kind, count) => {
    const { own, call } = watched({ kind, message: 'No.', ...(kind === 'HTTP' ? { status: 403 } : {}) });
    await expect(call('delete', 'organizations/o1/')).rejects.toThrow('No.');
    expect((await own.during(read)).own).toHaveLength(count);
  });
});
