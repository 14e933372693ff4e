import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { Welcome } from '#contract/organizations.ts';
import { CallError } from '#machines/shared/failure.ts';
import { welcomeMachine } from '#machines/workspace/welcome/machine.ts';
import { playgroundRoute, underParent } from '../test/machines/playground-fixtures.ts';
import { describeWalk } from './walk.ts';

const MADE: Welcome = { organization_uuid: 'o1', project_uuid: 'p1' };
const NOTHING: Welcome = { organization_uuid: null, project_uuid: null };

describe('the welcome', () => {
  describeWalk(welcomeMachine, {
    cases: {
      'done askWelcome': [MADE, NOTHING],
      'failed askWelcome': [new CallError({ kind: 'FETCH_ERROR', message: 'offline' })],
    },
    tags: { preparing: ['asking', 'made'], failed: ['failed'], offering: ['offering'] },
    ignored: {
      'It is being asked already': 'retry.requested in asking',
      'Nothing has failed': 'retry.requested in made, offering',
    },
  });

  it('ONB-02: tells which playground to open once it is made, and asks again after a failure', async () => {
    let attempts = 0;
    const askWelcome = fromPromise<Welcome, void>(async () => {
      attempts += 1;
      if (attempts === 1) throw new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
      return MADE;
    });
    const { child, told } = underParent(welcomeMachine.provide({ actors: { askWelcome } }), undefined);
    await waitFor(child, (snapshot) => snapshot.hasTag('failed'));
    child.send({ type: 'retry.requested' });
    await waitFor(child, (snapshot) => snapshot.matches('made'));
    expect(told).toEqual([{ type: 'memberships.stale', route: playgroundRoute() }]);
  });
});
