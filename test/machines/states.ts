import type { AnyStateNode } from 'xstate';

/** A state of a chart, its root for instance, and every state within it. */
export const statesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(statesOf)];
