import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { titleOf, walk, type WalkOptions } from './model.ts';

export { doneBy, failedBy, titleOf, walk, type WalkOptions } from './model.ts';

/** Registers a test per path, and one that fails when a declared transition is walked by none of them. */
export function describeWalk(machine: AnyStateMachine, options: WalkOptions = {}): void {
  const { paths, play, unwalked } = walk(machine, options);
  it.each(paths.map((path) => [titleOf(path), path] as const))('%s', (_title, path) => {
    play(path);
  });
  it('every declared transition is walked', () => {
    expect(unwalked()).toEqual([]);
  });
}
