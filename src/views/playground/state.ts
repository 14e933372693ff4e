/** The actors of the playground that is open, for every view beneath it. */
import { useSelector } from '@xstate/react';
import { createContext, useContext } from 'react';
import type { SnapshotFrom } from 'xstate';
import { FLAG_STT_TAGS } from '#contract/organizations.ts';
import type { PlaygroundActor, playgroundMachine } from '#machines/playground/machine.ts';

/** The playground once it is ready, and the children that live as long as it is. */
export function actorsOf(playground: PlaygroundActor, { children }: SnapshotFrom<typeof playgroundMachine>) {
  const { live, sidePanel, display, exporter, codePanel, search, selection } = children;
  if (!live || !sidePanel || !display || !exporter || !codePanel || !search || !selection) return null;
  return { playground, live, sidePanel, display, exporter, codePanel, search, selection };
}

type PlaygroundActors = NonNullable<ReturnType<typeof actorsOf>>;

/** Provided by the playground's page. */
export const PlaygroundContext = createContext<PlaygroundActors | null>(null);

function useActors(): PlaygroundActors {
  const actors = useContext(PlaygroundContext);
  if (!actors) throw new Error('No playground is open.');
  return actors;
}

export const usePlayground = () => useActors().playground;
export const useLive = () => useActors().live;
export const useSidePanel = () => useActors().sidePanel;
export const useDisplay = () => useActors().display;
export const useExporter = () => useActors().exporter;
export const useCodePanel = () => useActors().codePanel;
export const useSearch = () => useActors().search;
export const useTextSelection = () => useActors().selection;

/** Whether the tooltips of words tell languages and translation status, too. */
export const useWithTags = (): boolean =>
  useSelector(usePlayground(), ({ context }) => context.featureFlags.includes(FLAG_STT_TAGS));
