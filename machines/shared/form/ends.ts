// What a chart does when its form ends.
import { withOutput } from '../withEvent.ts';
import type { FormResult } from './types.ts';

type Result = FormResult<unknown, unknown>;

/** The guards that {@link formEnds} asks by their names: a chart has them among its own. */
export const formGuards = {
  isDone: (_: unknown, { outcome }: Result): boolean => outcome === 'done',
  isLeft: (_: unknown, { outcome }: Result): boolean => outcome === 'left',
};

/**
 * The `onDone` of a form: `done` where it was accepted; `left` where the answer was not waited for, so that nobody knows
 * whether it was; else `otherwise` (given up or refused for good, and `left` where the chart makes no difference).
 */
export function formEnds<const Done extends object, const Otherwise extends object>(
  done: Done,
  otherwise: Otherwise,
): readonly [Guarded<'isDone'> & Done, Otherwise];
export function formEnds<const Done extends object, const Otherwise extends object, const Left extends object>(
  done: Done,
  otherwise: Otherwise,
  left: Left,
): readonly [Guarded<'isDone'> & Done, Guarded<'isLeft'> & Left, Otherwise];
export function formEnds(done: object, otherwise: object, left?: object): readonly object[] {
  const accepted = { guard: withOutput('isDone'), ...done };
  return left ? [accepted, { guard: withOutput('isLeft'), ...left }, otherwise] : [accepted, otherwise];
}

type Guarded<Name extends string> = { guard: ReturnType<typeof withOutput<Name>> };

/** An action `type` whose parameters are all of an accepted form: its values, what it was about, the answer; for the `done` of {@link formEnds} only. */
export const givenAccepted = <const Type extends string>(type: Type) => ({
  type,
  params: <Result extends FormResult<unknown, unknown>>({ event }: { event: { output: Result } }): Accepted<Result> => {
    if (event.output.outcome !== 'done') throw new Error('A form that was not accepted has nothing to give.');
    return event.output as Accepted<Result>;
  },
});

type Accepted<Result> = Extract<Result, { outcome: 'done' }>;

/** An action `type` whose parameters are what the server answered; for the `done` of {@link formEnds} only. */
export const givenAnswer = <const Type extends string>(type: Type) => ({
  type,
  params: <Answer>({ event }: { event: { output: FormResult<Answer, unknown> } }): Answer => {
    if (event.output.outcome !== 'done') throw new Error('A form that was not accepted has no answer.');
    return event.output.answer;
  },
});
