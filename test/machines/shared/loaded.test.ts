import { expect, it } from 'vitest';
import { assign, createActor, fromPromise, setup, waitFor } from 'xstate';
import { failureOf, type Failure } from '#machines/shared/failure.ts';
import { loadedStates, reading } from '#machines/shared/loaded.ts';
import { withOutput } from '#machines/shared/withEvent.ts';

type Place = { orgUuid: string };
const placeOf = ({ orgUuid }: Place): Place => ({ orgUuid });
const ofOther = ({ uuid }: { uuid: string }): Place => ({ orgUuid: uuid });
const keep = { target: 'ready', actions: withOutput('setName') } as const;

const base = setup({
  types: {} as {
    context: Place & { name: string; failure: Failure | null };
    events: { type: 'retry.requested' } | { type: 'screen.stale' };
  },
  actors: { loadName: fromPromise<string, Place>(({ input }) => Promise.resolve(input.orgUuid)) },
  actions: {
    setName: assign((_, name: string) => ({ name, failure: null })),
    setFailure: assign(failureOf),
  },
});

const chart = base.createMachine({
  context: { orgUuid: 'o1', name: '', failure: null },
  initial: 'loading',
  states: {
    ...loadedStates('loadName', placeOf, keep),
    ready: { on: { 'screen.stale': 'rereading' } },
    rereading: { invoke: reading('loadName', placeOf, 'outdated', keep) },
    outdated: {},
  },
});

it('reads, keeps why it failed, and reads again on Retry; a failure to read again leads where the chart says', async () => {
  const asked: Place[] = [];
  const loadName = fromPromise<string, Place>(async ({ input }) => {
    if (asked.push(input) === 2) return 'Ada';
    throw new Error('Away.');
  });
  const actor = createActor(chart.provide({ actors: { loadName } })).start();
  const told = async (state: string) => {
    const { context, tags } = await waitFor(actor, ({ value }) => value === state);
    return [context.name, context.failure?.message, ...tags];
  };
  expect(await told('loading')).toEqual(['', undefined, 'loading']);
  expect(await told('failed')).toEqual(['', 'Away.', 'failed']);
  actor.send({ type: 'retry.requested' });
  expect(await told('ready')).toEqual(['Ada', undefined]);
  actor.send({ type: 'screen.stale' });
  expect(await told('rereading')).toEqual(['Ada', undefined]);
  expect(await told('outdated')).toEqual(['Ada', 'Away.']);
  expect(asked).toEqual([{ orgUuid: 'o1' }, { orgUuid: 'o1' }, { orgUuid: 'o1' }]);
});

/** Checked by the compiler: each of these is an error, and the directive is one where it is not. */
export const refused = [
  // @ts-expect-error There is no such actor.
  () => base.createStateConfig({ states: loadedStates('loadNames', placeOf, keep) }),
  // @ts-expect-error The actor is to be asked for an organization.
  () => base.createStateConfig({ states: loadedStates('loadName', () => ({ uuid: 'o1' }), keep) }),
  // @ts-expect-error The context has no such field.
  () => base.createStateConfig({ states: loadedStates('loadName', ofOther, keep) }),
];
