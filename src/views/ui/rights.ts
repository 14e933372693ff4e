/** Hooks for what the person's role in the selected organization allows. */
import { useSelector } from '@xstate/react';
import type { Action } from '#contract/roles.ts';
import { SCREENS, type ScreenName } from '#machines/shared/screens.ts';
import { mayHere } from '#machines/workspace/access.ts';
import { useWorkspace } from './state.ts';

export const useMay = (action: Action): boolean =>
  useSelector(useWorkspace(), ({ context }) => mayHere(context, action));

export const useMayOpen = (screen: ScreenName): boolean => useMay(SCREENS[screen].needs);
