/** The actors of the playground that is open, for every view beneath it. */
import { shallowEqual, useSelector } from '@xstate/react';
import { createContext, useContext } from 'react';
import type { SnapshotFrom } from 'xstate';
import { FLAG_STT_TAGS } from '#contract/organizations.ts';
import type { PlaygroundActor, playgroundMachine } from '#machines/playground/machine.ts';
import { type Answering, answeringOf } from '#machines/playground/stream/socket/select.ts';

/** The playground once it is ready, with the actors that live as long. */
function lastingOf(playground: PlaygroundActor, { children }: SnapshotFrom<typeof playgroundMachine>) {
  const { async: asyncSide, live, usageHint, sidePanel, languageSearch, reader, codePanel, loggedRequest } = children;
  if (!asyncSide || !live || !usageHint || !sidePanel || !languageSearch || !reader || !codePanel) return null;
  if (!loggedRequest) return null;
  const { library, upload, sample } = asyncSide.getSnapshot().children;
  if (!library || !upload || !sample) return null;
  const { files, transcriptions, removal } = library.getSnapshot().children;
  const { display, exporter, search, selection } = reader.getSnapshot().children;
  const { transcript, microphone } = live.getSnapshot().children;
  if (!files || !transcriptions || !removal) return null;
  if (!display || !exporter || !search || !selection || !transcript || !microphone) return null;
  return {
    playground,
    asyncSide,
    files,
    transcriptions,
    removal,
    upload,
    sample,
    sidePanel,
    languageSearch,
    codePanel,
    display,
    exporter,
    search,
    selection,
    live,
    usageHint,
    loggedRequest,
    transcript,
    microphone,
  };
}

/** The actors of the playground; null until it is ready. `player` and `transcription` only while there is one. */
export function usePlaygroundActors(playground: PlaygroundActor) {
  const lasting = useSelector(playground, (snapshot) => lastingOf(playground, snapshot), shallowEqual);
  return useSelector(
    lasting?.asyncSide,
    (snapshot) => {
      if (!lasting || !snapshot) return null;
      const { player, transcription } = snapshot.children;
      return { ...lasting, player, transcription };
    },
    shallowEqual,
  );
}

type PlaygroundActors = NonNullable<ReturnType<typeof usePlaygroundActors>>;

/** The playground's page provides all actors; a test only those that its views use. */
export const PlaygroundContext = createContext<{
  [Name in keyof PlaygroundActors]?: PlaygroundActors[Name] | undefined;
}>({});

function useActor<Name extends keyof PlaygroundActors>(name: Name): NonNullable<PlaygroundActors[Name]> {
  const actor = useContext(PlaygroundContext)[name];
  if (!actor) throw new Error(`There is no actor '${name}' around this view.`);
  return actor;
}

export const usePlayground = () => useActor('playground');
/** The side of the REST API tab. */
export const useAsyncSide = () => useActor('asyncSide');
export const useFiles = () => useActor('files');
export const useTranscriptions = () => useActor('transcriptions');
export const useRemoval = () => useActor('removal');
export const useUpload = () => useActor('upload');
export const useSample = () => useActor('sample');
export const useSidePanel = () => useActor('sidePanel');
export const useLanguageSearch = () => useActor('languageSearch');
export const useCodePanel = () => useActor('codePanel');
export const useDisplay = () => useActor('display');
export const useExporter = () => useActor('exporter');
export const useSearch = () => useActor('search');
export const useTextSelection = () => useActor('selection');
export const useLive = () => useActor('live');
export const useUsageHint = () => useActor('usageHint');
/** The request of the logs that the playground is open for. */
export const useLoggedRequest = () => useActor('loggedRequest');
/** Whether the server of the session answers (LVP-10). */
export function useAnswering(): Answering {
  const stream = useSelector(useLive(), ({ children }) => children.stream);
  const socket = useSelector(stream, (snapshot) => snapshot?.children.socket);
  return useSelector(socket, (snapshot) => (snapshot ? answeringOf(snapshot) : 'answers'));
}
/** The transcript of the live sessions. */
export const useTranscript = () => useActor('transcript');
export const useMicrophone = () => useActor('microphone');
/** The player of the shown file: for views that are drawn only while it can be played. */
export const usePlayer = () => useActor('player');
/** The player, or undefined while there is nothing to play. */
export const usePlayerIfAny = () => useContext(PlaygroundContext).player;
/** The opened transcription: for views that are drawn only while one is open. */
export const useTranscription = () => useActor('transcription');
/** The opened transcription, or undefined while there is none. */
export const useTranscriptionIfAny = () => useContext(PlaygroundContext).transcription;

/** Whether the tooltips of words show language and translation status, too. */
export const useShowsWordTags = (): boolean =>
  useSelector(usePlayground(), ({ context }) => context.featureFlags.includes(FLAG_STT_TAGS));
