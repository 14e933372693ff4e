import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { titleOf, walk, type WalkOptions } from './model.ts';
import { mistagged, type Tags } from './tags.ts';
import { holes, knownEvents, takenAfterAll, tryEverything, type Ignored, type Refused } from './totality.ts';

export { doneBy, failedBy, titleOf, walk, type WalkOptions } from './model.ts';

/** A walk with the lists of what the chart passes over on purpose, what it refuses, and where its tags are. */
export type Listed<Options> = Options & { ignored: readonly Ignored[]; refused?: readonly Refused[]; tags?: Tags };

/**
 * Registers a test per path, one that fails when a declared transition is walked by none of them, one that fails when an
 * event is neither taken nor listed in some situation, one that fails when what is refused is taken, and one that fails when a tag is not where the list says.
 */
export function describeWalk(
  machine: AnyStateMachine,
  { ignored, refused = [], tags = {}, ...options }: Listed<WalkOptions>,
): void {
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
  it('what is refused changes nothing', () => {
    expect(takenAfterAll([walked], refused)).toEqual([]);
  });
  it('every tag is in the states that are listed, and in no other', () => {
    expect(mistagged(machine, [walked], tags)).toEqual([]);
  });
}
