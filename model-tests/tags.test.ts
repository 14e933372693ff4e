import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { mistagged, type Tags } from './tags.ts';
import { walk } from './walk.ts';

const door = setup({ types: {} as { tags: 'closed' | 'safe' } }).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: {
      tags: 'closed',
      initial: 'unlocked',
      states: { unlocked: { on: { locked: 'locked' } }, locked: { tags: 'safe' } },
      on: { opened: 'open' },
    },
    open: {},
  },
});
const faults = (tags: Tags) => mistagged(door, [walk(door)], tags);

describe('where the tags of a chart are', () => {
  it('names a tag that is missing, that is there and not listed, and a state that is not reached', () => {
    expect(faults({ closed: ['shut'], safe: ['shut.locked'] })).toEqual([]);
    expect(faults({ closed: ['shut'], safe: ['shut.locked', 'open'] })).toEqual([`'safe' is missing in "open"`]);
    expect(faults({ closed: ['shut'] })).toEqual([`'safe' is there in {"shut":"locked"}`]);
    expect(faults({ closed: ['shut'], safe: ['shut.locked'], barred: ['barred'] })).toEqual([
      "'barred' in barred: no such state is reached",
    ]);
  });
});
