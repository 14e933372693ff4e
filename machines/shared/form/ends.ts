// Helpers for a chart whose form ends.
import { withOutput } from '../withEvent.ts';
import type { FormResult } from './types.ts';

type Result = FormResult<unknown, unknown>;

/** The guards that {@link formEnds} uses; add them to the chart's own. */
export const formGuards = {
  isDone: (_: unknown, { outcome }: Result): boolean => outcome === 'done',
  isLeft: (_: unknown, { outcome }: Result): boolean => outcome === 'left',
};

/**
 * The `onDone` of a form. `done` follows acceptance; `left` follows a form closed before the server answered, whose
 * outcome is unknown; `otherwise` follows all other ends, and also `left` if the chart does not give that.
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

/** An action `type` that gets the accepted form's values, `about` and answer. Only for `done` of {@link formEnds}. */
export const givenAccepted = <const Type extends string>(type: Type) => ({
  type,
  params: <Result extends FormResult<unknown, unknown>>({ event }: { event: { output: Result } }): Accepted<Result> => {
    if (event.output.outcome !== 'done') throw new Error('A form that was not accepted has nothing to give.');
    return event.output as Accepted<Result>;
  },
});

type Accepted<Result> = Extract<Result, { outcome: 'done' }>;

/** An action `type` that gets the server's answer. Only for `done` of {@link formEnds}. */
export const givenAnswer = <const Type extends string>(type: Type) => ({
  type,
  params: <Answer>({ event }: { event: { output: FormResult<Answer, unknown> } }): Answer => {
    if (event.output.outcome !== 'done') throw new Error('A form that was not accepted has no answer.');
    return event.output.answer;
  },
});
