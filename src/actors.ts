/** Gives views the root actor, through which they reach every running chart. */
import { createContext, useContext } from 'react';
import type { RootActor } from '#machines/root/machine.ts';

export const RootContext = createContext<RootActor | null>(null);

/** The root actor. @throws outside of a RootContext */
export function useRoot(): RootActor {
  const root = useContext(RootContext);
  if (!root) throw new Error('No root actor around this view.');
  return root;
}
