import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { titleOf, walk, type WalkOptions } from './model.ts';
import { holes, knownEvents, tryEverything, type Ignored } from './totality.ts';

export { doneBy, failedBy, titleOf, walk, type WalkOptions } from './model.ts';

/** A walk with the list of what the chart passes over on purpose. */
export type Listed<Options> = Options & { ignored: readonly Ignored[] };

/**
 * Registers a test per path, one that fails when a declared transition is walked by none of them, and one that fails when
 * an event is neither taken nor listed in some situation.
 */
export function describeWalk(machine: AnyStateMachine, { ignored, ...options }: Listed<WalkOptions>): void {
  const walked = walk(machine, options);
  const { paths, play, unwalked } = walked;
  it.each(paths.map((path) => [titleOf(path), path] as const))('%s', (_title, path) => {
    play(path);
  });
  it('every declared transition is walked', () => {
    expect(unwalked()).toEqual([]);
  });
  it('every event is taken or ignored on purpose', () => {
    const trials = tryEverything({ walks: [walked], events: knownEvents(machine) });
    expect(holes(trials, ignored)).toEqual([]);
  });
}
