/** How views reach the running charts: the root actor, handed down once. */
import { createContext, useContext } from 'react';
import type { RootActor } from '#machines/root/machine.ts';

export const RootContext = createContext<RootActor | null>(null);

/** The root actor. @throws when rendered outside of the console. */
export function useRoot(): RootActor {
  const root = useContext(RootContext);
  if (!root) throw new Error('No root actor around this view.');
  return root;
}
