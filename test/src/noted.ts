import { onTestFinished } from 'vitest';
import { createActor, setup, type AnyActorLogic, type AnyEventObject } from 'xstate';

/** An actor beneath a parent that notes what it says; both end with the test. */
export function noted<Event extends AnyEventObject>(logic: AnyActorLogic, input?: unknown) {
  const said: Event[] = [];
  const parent = createActor(
    setup({ actors: { child: logic } }).createMachine({
      invoke: { id: 'child', src: 'child', input: () => input },
      on: { '*': { actions: ({ event }) => void said.push(event as Event) } },
    }),
  ).start();
  onTestFinished(() => void parent.stop());
  const actor = parent.getSnapshot().children['child'];
  if (!actor) throw new Error('The actor did not start.');
  return { said, actor, stop: () => void parent.stop(), types: () => said.map(({ type }) => type) };
}
