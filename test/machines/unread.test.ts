import { describe, expect, it } from 'vitest';
import { createActor, setup, type AnyMachineSnapshot } from 'xstate';
import { UNREAD, unreadUnder } from '#machines/shared/unread.ts';

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

describe('UXP-41: what is read again by itself', () => {
  it('is what could not be read, however deep it stands; nothing that would do something besides', () => {
    const actor = createActor(tree).start();
    const unread = unreadUnder(actor);
    expect(unread.map((found) => (found.getSnapshot() as AnyMachineSnapshot).machine.id)).toEqual(['list', 'home']);
    for (const found of unread) found.send({ type: 'retry.requested' });
    expect(heard).toEqual(['list', 'home']);
  });
});
