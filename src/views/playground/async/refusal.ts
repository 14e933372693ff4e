/** Hooks about a transcription that the server refused to create. */
import { useSelector } from '@xstate/react';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import { asyncModel } from '#machines/playground/context.ts';
import { refusedContext } from '#machines/playground/settings/context.ts';
import type { Failure } from '#machines/shared/failure.ts';

/** Why the server refused it; null if it did not. */
export function useRefusal(playground: PlaygroundActor): Failure | null {
  const isRefused = useSelector(playground, (snapshot) => snapshot.hasTag('refused'));
  const transcription = useSelector(playground, (snapshot) => snapshot.children.transcription);
  const failure = useSelector(transcription, (snapshot) => snapshot?.context.failure ?? null);
  return isRefused ? failure : null;
}

/** What is wrong with the context, as the server says; null if nothing. */
export function useContextProblem(playground: PlaygroundActor): string | null {
  const failure = useRefusal(playground);
  return useSelector(playground, ({ context }) =>
    refusedContext(failure, context.settings.context, asyncModel(context)),
  );
}
