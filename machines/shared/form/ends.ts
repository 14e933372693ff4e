// What a chart does when its form ends: one thing where it was accepted, another one in every other case.
import { givenOutput } from '../given.ts';
import type { FormResult } from './machine.ts';

/** The guard that {@link formEnds} asks by its name: a chart has it among its guards. */
export const isDone = (_: unknown, { outcome }: { outcome: FormResult<unknown, unknown>['outcome'] }): boolean =>
  outcome === 'done';

/** The `onDone` of a form: `done` where it was accepted, else `otherwise` (given up, left or refused for good). */
export const formEnds = <const Done extends object, const Otherwise extends object>(done: Done, otherwise: Otherwise) =>
  [{ guard: givenOutput('isDone'), ...done }, otherwise] as const;

/** An action `type` whose parameters are what the server answered; for the `done` of {@link formEnds} only. */
export const givenAnswer = <const Type extends string>(type: Type) => ({
  type,
  params: <Answer>({ event }: { event: { output: FormResult<Answer, unknown> } }): Answer => {
    if (event.output.outcome !== 'done') throw new Error('A form that was not accepted has no answer.');
    return event.output.answer;
  },
});
