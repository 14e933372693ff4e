import { expect, it } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { allCharts } from '../../scripts/actor-tree.ts';
import { statesOf } from './states.ts';

function ancestorsOf(node: AnyStateNode): AnyStateNode[] {
  return node.parent === undefined ? [] : [node.parent, ...ancestorsOf(node.parent)];
}

const isBelow = (node: AnyStateNode, ancestor: AnyStateNode): boolean => ancestorsOf(node).includes(ancestor);

/**
 * The transitions that leave all regions of a parallel state and begin anew those that they have no target in: a form there would lose what
 * is typed, a call is dropped.
 */
function resetsIn(machine: AnyStateMachine): string[] {
  return statesOf(machine.root).flatMap((source) =>
    [...source.transitions.values(), source.always ?? []].flat().flatMap(({ target: targets, reenter, eventType }) => {
      if (targets === undefined || targets.length === 0) return [];
      if (!reenter && targets.every((target) => target === source || isBelow(target, source))) return [];
      const left = ancestorsOf(source).find((ancestor) => targets.every((target) => isBelow(target, ancestor)));
      if (left?.type !== 'parallel') return [];
      const isMeant = Object.values(left.states).every((region) =>
        targets.some((target) => target === region || isBelow(target, region)),
      );
      return isMeant ? [] : [`${source.id}: ${eventType || 'always'}`];
    }),
  );
}

it('CON-30: what happens in one region of a chart leaves the others as they are', () => {
  expect(allCharts().flatMap(({ machine }) => resetsIn(machine))).toEqual([]);
});
