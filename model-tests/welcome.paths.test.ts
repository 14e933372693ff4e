import { describe, expect, it } from 'vitest';
import { createActor, createMachine, fromPromise, waitFor } from 'xstate';
import type { Welcome } from '#contract/organizations.ts';
import { CallError } from '#machines/shared/failure.ts';
import { welcomeMachine } from '#machines/workspace/welcome/machine.ts';
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
    const told: unknown[] = [];
    let attempts = 0;
    const welcome = welcomeMachine.provide({
      actors: {
        askWelcome: fromPromise(() => {
          attempts += 1;
          return attempts === 1
            ? Promise.reject(new CallError({ kind: 'FETCH_ERROR', message: 'offline' }))
            : Promise.resolve(MADE);
        }),
      },
    });
    const parent = createActor(
      createMachine({
        invoke: { id: 'welcome', src: welcome },
        on: { '*': { actions: ({ event }) => void told.push(event) } },
      }),
    ).start();
    const child = parent.getSnapshot().children['welcome'];
    if (!child) throw new Error('no child');
    await waitFor(child, (snapshot) => snapshot.hasTag('failed'));
    child.send({ type: 'retry.requested' });
    await waitFor(child, (snapshot) => snapshot.matches('made'));
    expect(told).toEqual([
      {
        type: 'memberships.stale',
        route: { screen: 'playground', orgUuid: 'o1', projectUuid: 'p1', mode: 'async' },
      },
    ]);
  });
});
