import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { walk } from './model.ts';
import { holes, knownEvents, readReasons, takenAfterAll, tryEverything } from './totality.ts';

const door = setup({
  types: {} as { events: { type: 'opened' } | { type: 'shut' } | { type: 'locked'; key: string } },
}).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { on: { opened: 'open', locked: [{ guard: ({ event }) => event.key === 'right', target: 'locked' }] } },
    open: { on: { shut: 'shut', opened: {} } },
    locked: { after: { 1000: 'shut' } },
  },
});
const trials = () =>
  tryEverything({
    walks: [walk(door, { cases: { locked: [{ type: 'locked', key: 'right' }] } })],
    events: knownEvents(door),
  });
const exact = readReasons({
  'It is shut': 'shut in shut, locked',
  'It is open, or nobody gets in': 'opened, locked in open, locked',
});

describe('which events a chart passes over', () => {
  it('names an event that is lost in a state, also where it is forbidden without a word', () => {
    expect(holes(trials(), exact.slice(0, 1))).toEqual([
      "'opened' is lost in open",
      "'opened' is lost in locked",
      "'locked' is lost in open",
      "'locked' is lost in locked",
    ]);
  });

  it('names what is listed and taken, not reached, or not known', () => {
    const wrong = (states: string[], events: string[], sometimes = false) =>
      holes(trials(), [...exact, { states, events, sometimes }]);
    expect(wrong(['open'], ['shut'])).toEqual(["'shut' in open: is taken"]);
    expect(wrong(['ajar'], ['shut'])).toEqual(["'shut' in ajar: no such state is reached"]);
    expect(wrong(['open'], ['slammed'])).toEqual(["'slammed' in open: no such event"]);
    expect(wrong([''], ['shut'])).toEqual(["'shut' in the machine: is sometimes taken"]);
    expect(wrong(['locked'], ['shut'], true)).toEqual(["'shut' in locked: is never taken"]);
  });
});

describe('what a chart refuses', () => {
  const faults = (states: string[], key: string) =>
    takenAfterAll([walk(door)], [{ states, event: { type: 'locked', key }, why: 'The key is wrong' }]);

  it('is not taken, and named where it is, or where it is not reached', () => {
    expect(faults(['', 'shut'], 'wrong')).toEqual([]);
    expect(faults([''], 'right')).toEqual(['{"type":"locked","key":"right"} is taken in shut']);
    expect(faults(['ajar'], 'wrong')).toEqual(["'locked' in ajar: no such situation is reached"]);
  });
});

it('every chart has a path test with its list', () => {
  const tests = import.meta.glob<string>('./*.paths.test.ts', { query: '?raw', import: 'default', eager: true });
  const machines = import.meta.glob<string>('../machines/**/*.ts', { query: '?raw', import: 'default', eager: true });
  const charts = Object.entries(machines).filter(([, text]) => text.includes('.createMachine('));
  const named = Object.values(tests).flatMap((text) =>
    [...text.matchAll(/\bdescribeWalks?\(\s*(\w+)/g)].map(([, name]) => name),
  );
  // Who walks one that a factory has made walks the factory's chart.
  const made = Object.values(machines).flatMap((text) => [...text.matchAll(/^export const (\w+) = (create\w+)\(/gm)]);
  const walked = new Set([...named, ...made.filter(([, name]) => named.includes(name)).map(([, , by]) => by)]);
  const left = charts.filter(([, text]) =>
    [...text.matchAll(/^export (?:const|function) (\w+)/gm)].every(([, name]) => !walked.has(name)),
  );
  expect(charts.length).toBeGreaterThan(40);
  expect(left.map(([file]) => file)).toEqual([]);
});
