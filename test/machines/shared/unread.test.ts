import { describe, expect, it } from 'vitest';
import { createActor, setup, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import { UNREAD, unreadUnder } from '#machines/shared/unread.ts';
import { allCharts } from '../../../scripts/actor-tree.ts';
import { statesOf } from '../states.ts';

const heard: string[] = [];
const failing = (id: string, meta: object) =>
  setup({ types: {} as { events: { type: 'retry.requested' } } }).createMachine({
    id,
    initial: 'failed',
    states: { failed: { meta, on: { 'retry.requested': { actions: () => void heard.push(id) } } } },
  });

const tree = setup({
  actors: {
    screen: setup({ actors: { list: failing('list', UNREAD), form: failing('form', {}) } }).createMachine({
      id: 'screen',
      invoke: [
        { id: 'list', src: 'list' },
        { id: 'form', src: 'form' },
      ],
    }),
    upload: failing('upload', {}),
    home: failing('home', UNREAD),
  },
}).createMachine({
  id: 'tree',
  invoke: [
    { id: 'screen', src: 'screen' },
    { id: 'upload', src: 'upload' },
    { id: 'home', src: 'home' },
  ],
});

/** States whose Retry does more than read again, or that are read again without it. */
const ON_DEMAND = new Map([
  ['workspace ready.dialog.openFailed', 'opens a dialog'],
  ['upload failed', 'sends the file'],
  ['transcription polling.unreachable', 'asks again by itself'],
  ['accountDeletion blocked', 'nothing failed'],
  ['parts missing.pausing', 'asks again by itself'],
  // Before there is a workspace, nobody hears of the network.
  ['workspace failed', 'without a workspace'],
  ['passwordLink failed', 'without a workspace'],
  ['ssoCallback failed', 'without a workspace'],
  ['invite failed', 'without a workspace'],
]);

const retried = ({ id, root }: AnyStateMachine) =>
  statesOf(root)
    .filter(({ config }) => 'retry.requested' in (config.on ?? {}))
    .map(({ path, config }) => ({ state: `${id} ${path.join('.')}`, isUnread: config.meta === UNREAD }));

describe('UXP-41: what is read again by itself', () => {
  it('is each state whose Retry only reads again: its meta is UNREAD', () => {
    const all = allCharts().flatMap(({ machine }) => retried(machine));
    expect(
      all
        .filter(({ isUnread }) => !isUnread)
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual([...ON_DEMAND.keys()].toSorted());
    expect(all.length - ON_DEMAND.size).toBeGreaterThan(10);
  });

  it('is what could not be read, however deep it stands; nothing that would do something besides', () => {
    const actor = createActor(tree).start();
    const unread = unreadUnder(actor);
    expect(unread.map((found) => (found.getSnapshot() as AnyMachineSnapshot).machine.id)).toEqual(['list', 'home']);
    for (const found of unread) found.send({ type: 'retry.requested' });
    expect(heard).toEqual(['list', 'home']);
  });
});
