import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { eventsIn, scenarioOf, titleOf, walk, type Walk, type WalkOptions } from './model.ts';
import { mistagged, type Tags } from './tags.ts';
import {
  holes,
  knownEvents,
  takenAfterAll,
  tryEverything,
  readReasons,
  type Reasons,
  type Refused,
} from './totality.ts';
import { unwalkedByAll } from './unwalked.ts';

export { doneBy, FAILURE, failedBy, walk, type WalkOptions } from './model.ts';

/** A walk with the lists of what the chart passes over on purpose, what it refuses, and where its tags are. */
export type Listed<Options> = Options & {
  ignored: Reasons;
  refused?: readonly Refused[];
  tags?: Tags;
  /** Names of the declared transitions that this chart never takes. */
  never?: readonly string[];
};

export type Variant = {
  input: unknown;
  /** Event types (or beginnings of them) that this variant leaves to another, so that parallel regions don't multiply. */
  without?: readonly string[];
  /** Cases of this variant, instead of the common ones. */
  cases?: WalkOptions['cases'];
  /** What this variant tells apart, instead of the common things. */
  distinguish?: WalkOptions['distinguish'];
};

/** Set by `npm run paths`: the chart whose paths are listed instead of tested; empty for all. */
const LISTED = process.env['LIST_PATHS'];

/** For the largest charts on a busy machine. */
const LONG = { timeout: 240_000 };

/** Registers two tests: every path holds and together they take every transition; every event is accounted for in every situation. */
export function describeWalk(machine: AnyStateMachine, { input, ...options }: Listed<WalkOptions>): void {
  describeWalks(machine, options, { '': { input } });
}

/** The same two tests for a machine of several beginnings or many parallel regions, which is walked a part at a time. */
export function describeWalks(
  machine: AnyStateMachine,
  { ignored, refused = [], tags = {}, never = [], ...options }: Listed<Omit<WalkOptions, 'input' | 'variant'>>,
  variants: Record<string, Variant>,
): void {
  if (LISTED && LISTED !== machine.id) return;
  const begin = (variant: string, { input, without = [], cases: own, distinguish = options.distinguish }: Variant) => {
    const common = eventsIn(options.cases);
    const types = [...new Set([...Object.keys(common), ...machine.events.map(String)])];
    const left = types.filter((type) => without.some((beginning) => type.startsWith(beginning)));
    const cases = { ...common, ...eventsIn(own), ...Object.fromEntries(left.map((type) => [type, []])) };
    return walk(machine, { ...options, ...(distinguish && { distinguish }), cases, input, variant });
  };
  // Made by the first test that runs, which also tells where one cannot be made.
  let made: readonly Walk[] | undefined;
  const walksOf = () => (made ??= Object.entries(variants).map(([name, variant]) => begin(name, variant)));
  if (LISTED !== undefined) return list(machine, walksOf());
  it('every path holds, and every declared transition is walked', LONG, () => {
    const unwalked = unwalkedByAll(walksOf().map((walked) => walked.unwalked()));
    expect(unwalked.toSorted(), 'transitions that no path takes').toEqual(never.toSorted());
  });
  it('every event is taken or ignored on purpose, and every tag is where it is listed', LONG, () => {
    const walks = walksOf();
    const trials = tryEverything({ walks, events: knownEvents(machine) });
    expect({
      events: holes(trials, readReasons(ignored)),
      refused: takenAfterAll(walks, refused),
      tags: mistagged(machine, walks, tags),
    }).toEqual({ events: [], refused: [], tags: [] });
  });
}

/** A test a path, for scripts/paths.ts, which reads their names and runs none. */
function list(machine: AnyStateMachine, walks: readonly Walk[]): void {
  for (const { paths } of walks)
    for (const path of paths) {
      const title = titleOf({ ...path, steps: path.steps.slice(1) });
      it(`${machine.id}\n${title}\n${scenarioOf(path)}`, () => undefined);
    }
}
