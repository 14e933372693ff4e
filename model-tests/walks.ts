import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { unwalkedByAll } from './unwalked.ts';
import { mistagged } from './tags.ts';
import { holes, knownEvents, takenAfterAll, tryEverything } from './totality.ts';
import { titleOf, walk, type Listed, type WalkOptions } from './walk.ts';

export type Variant = {
  input: unknown;
  /** Event types (or beginnings of them) that this variant leaves to another, so that parallel regions don't multiply. */
  without?: readonly string[];
  /** Cases of this variant, instead of the common ones. */
  cases?: WalkOptions['cases'];
  /** What this variant tells apart, instead of the common things. */
  distinguish?: WalkOptions['distinguish'];
};

/**
 * Walks a machine of several beginnings or many parallel regions, a part at a time: a test per path and variant, and one
 * that fails when a declared transition is walked by none of the variants. Events that no variant takes are listed.
 */
export function describeWalks(
  machine: AnyStateMachine,
  { ignored, refused = [], tags = {}, ...options }: Listed<Omit<WalkOptions, 'input'>>,
  variants: Record<string, Variant>,
): void {
  const walks = Object.entries(variants).map(
    ([name, { input, without = [], cases: own, distinguish = options.distinguish }]) => {
      const types = [...new Set([...Object.keys(options.cases ?? {}), ...machine.events.map(String)])];
      const left = types.filter((type) => without.some((beginning) => type.startsWith(beginning)));
      const cases = { ...options.cases, ...own, ...Object.fromEntries(left.map((type) => [type, []])) };
      return [name, walk(machine, { ...options, ...(distinguish && { distinguish }), cases, input })] as const;
    },
  );
  const everyWalk = walks.map(([, walked]) => walked);
  describe.each(walks)('%s', (_name, { paths, play }) => {
    it.each(paths.map((path) => [titleOf(path), path] as const))('%s', (_title, path) => {
      play(path);
    });
  });
  it('every declared transition is walked', () => {
    expect(unwalkedByAll(walks.map(([, { unwalked }]) => unwalked()))).toEqual([]);
  });
  it('every event is taken or ignored on purpose', () => {
    const trials = tryEverything({ walks: everyWalk, events: knownEvents(machine) });
    expect(holes(trials, ignored)).toEqual([]);
  });
  it('what is refused changes nothing', () => {
    expect(takenAfterAll(everyWalk, refused)).toEqual([]);
  });
  it('every tag is in the states that are listed, and in no other', () => {
    expect(mistagged(machine, everyWalk, tags)).toEqual([]);
  });
}
