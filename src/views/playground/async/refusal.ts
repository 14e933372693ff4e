/** Hooks about a transcription that the server refused to create. */
import { useSelector } from '@xstate/react';
import { asyncModel } from '#machines/playground/async/context.ts';
import type { AsyncActor } from '#machines/playground/async/machine.ts';
import { refusedContext } from '#machines/playground/settings/context.ts';
import type { Failure } from '#machines/shared/failure.ts';

/** Why the server refused it; null if it did not. */
export function useRefusal(asyncSide: AsyncActor): Failure | null {
  const isRefused = useSelector(asyncSide, (snapshot) => snapshot.hasTag('refused'));
  const transcription = useSelector(asyncSide, (snapshot) => snapshot.children.transcription);
  const failure = useSelector(transcription, (snapshot) => snapshot?.context.failure ?? null);
  return isRefused ? failure : null;
}

/** What is wrong with the context, as the server says; null if nothing. */
export function useContextProblem(asyncSide: AsyncActor): string | null {
  const failure = useRefusal(asyncSide);
  return useSelector(asyncSide, ({ context }) =>
    refusedContext(failure, context.settings.context, asyncModel(context)),
  );
}
