// Models one form that a person fills in: checked on submit, values kept on refusal (ORG-02, ORG-03).
// Owned by whatever shows the form: a dialog of the workspace, or the flow of a public screen.
import * as v from 'valibot';
import { assign, sendTo, setup, type CallbackActorLogic, type PromiseActorLogic } from 'xstate';
import { toFailure, type Failure } from '../failure.ts';
import { stake, type PlaceTold, type Stake } from '../stake.ts';
import { callbackPlaceholder } from '../placeholder.ts';
import { given } from '../given.ts';

export type FormValues = Record<string, string>;
export type FormErrors<Values> = Partial<Record<keyof Values & string, string>>;

/** What is said of a field while it is typed; a refused value is not sent. */
export type Advice = { isRefused: boolean; title: string; text: string };

/** Asks for advice on the values as they are now. */
export type AdviceWanted = { type: 'advice.wanted'; values: Readonly<FormValues> };

/** The answer; null where there is nothing to say. */
export type AdviceGiven = { type: 'advice.given'; advice: Advice | null };

/** Advises for as long as the form is open. */
type Adviser = CallbackActorLogic<AdviceWanted, void>;

type FormContext<Values extends FormValues, Output, Answer> = {
  /** What stood in the fields before anybody typed. */
  initial: Values;
  values: Values;
  /** One text per field; a field's text goes when the field changes. */
  errors: FormErrors<Values>;
  /** Why the last submit was refused; shown in a red alert until a field changes or the next submit (CON-19). */
  refusal: Failure | null;
  /** How many submits were refused so far, by the schema or by the server: after each one the first invalid field is shown. */
  refusals: number;
  advice: Advice | null;
  /** Why nothing can be submitted any more: what the form belongs to is gone. What was typed can still be read. */
  lost: string | null;
  result: FormResult<Answer, Output> | null;
};

export type FormEvent<Values extends FormValues> =
  | { type: 'field.changed'; field: keyof Values & string; value: string }
  | { type: 'submit.requested' }
  | { type: 'dismiss.requested' }
  | { type: 'discard.confirmed' }
  | { type: 'discard.declined' }
  | AdviceGiven
  | PlaceTold
  /** From now on there will be none. */
  | { type: 'advice.failed' };

/**
 * How a form ends: accepted, given up by the person, refused for good (see `endsOn`), or left while its values were on
 * their way: nobody knows then whether the server took them.
 */
export type FormResult<Answer, Output> =
  | { outcome: 'done'; answer: Answer; values: Output }
  | { outcome: 'dismissed' }
  | { outcome: 'left' }
  | { outcome: 'refused'; failure: Failure; typed: FormValues };

export type FormOptions<Values extends FormValues, Output, Answer> = {
  id: string;
  schema: v.GenericSchema<Values, Output>;
  initial: Values;
  /** Sends the checked values; rejects with a CallError. */
  submit: PromiseActorLogic<Answer, { values: Output }>;
  /** Whether `dismiss.requested` ends it. */
  dismissible?: boolean;
  /** Whether it asks before it gives up typed values, or an answer that is under way. */
  asksFirst?: boolean;
  /** A refusal that no other input could change: the form ends with it. */
  endsOn?: (failure: Failure) => boolean;
  /** The one field that a refusal is about, where the server names none: its text is shown there instead of above the form. */
  blames?: (failure: Failure) => (keyof Values & string) | null;
  /** Advises on one field while it is typed. `error` stands at the field where a refused value is submitted, `away` is what is said where no advice comes. */
  advice?: { field: keyof Values & string; adviser: Adviser; error: string; away: Advice };
  /**
   * The fields that outlive a session that ends in the middle: they are given back to the same person. Those that say
   * what the form belongs to are among them; secrets never are.
   */
  keeps?: readonly (keyof Values & string)[];
  /**
   * With what typed values would be lost: with the screen, or, in a dialog that no change of the screen closes, with the
   * session. Null where there is nothing to lose. By default the screen.
   */
  losesWith?: Stake['scope'] | null;
};

/** What forms tell about themselves besides their snapshot; see drafts.ts. */
type FormMeta = { keeps: readonly string[] };

/** The first text per field of what the schema finds wrong. */
function findErrors<Values extends FormValues, Output>(
  schema: v.GenericSchema<Values, Output>,
  values: Values,
): FormErrors<Values> {
  const parsed = v.safeParse(schema, values, { abortPipeEarly: true });
  const errors: FormErrors<Values> = {};
  if (!parsed.success) for (const issue of parsed.issues) note(errors, values, v.getDotPath(issue), issue.message);
  return errors;
}

/** The server's complaints, laid on the fields that they name: `body.contact_email` belongs to `contact_email`. */
function serverErrors<Values extends FormValues>(failure: Failure, values: Values): FormErrors<Values> {
  const errors: FormErrors<Values> = {};
  for (const problem of failure.problems ?? [])
    note(errors, values, problem.location.split('.').at(-1) ?? null, problem.message);
  return errors;
}

/** Whether a refusal is about one field and nothing else, so that its text belongs there. */
export const isAbout = ({ problems = [] }: Failure, field: string): boolean =>
  problems.length > 0 && problems.every(({ location }) => location.split('.').at(-1) === field);

function note<Values extends FormValues>(
  errors: FormErrors<Values>,
  values: Values,
  name: string | null,
  message: string,
): void {
  const field = Object.keys(values).find((key): key is keyof Values & string => key === name);
  if (field !== undefined) errors[field] ??= message;
}

/** The form of a schema; its input may fill fields beforehand. The actor to provide is `submit`. */
export function createForm<Values extends FormValues, Output, Answer>(options: FormOptions<Values, Output, Answer>) {
  const { schema } = options;
  const asksFirst = options.dismissible === true && options.asksFirst === true;
  const { advice } = options;
  const scope = options.losesWith === undefined ? 'screen' : options.losesWith;
  const isChanged = (values: Values, initial: Values) =>
    scope !== null && Object.keys(values).some((field) => values[field] !== initial[field]);
  const advised = advice ? (['askAdvice'] as const) : [];
  // As long as something is typed, and on its way.
  const held =
    scope === null
      ? {}
      : { invoke: { id: 'stake', src: 'stake', input: { kind: 'form', scope } satisfies Stake } as const };
  const ofPlace = {
    'place.lost': {
      actions: { type: 'keepLost' as const, params: ({ event }: { event: { reason: string } }) => event },
    },
    'place.back': { actions: 'forgetLost' as const },
  };
  return setup({
    types: {} as {
      context: FormContext<Values, Output, Answer>;
      /** `draft` is what the person had typed before; it counts as typed. */
      input: { initial?: Partial<Values>; draft?: Partial<Values> | undefined };
      events: FormEvent<Values>;
      output: FormResult<Answer, Output>;
      tags: 'submitting' | 'asking';
      meta: FormMeta;
    },
    actors: { submit: options.submit, adviser: advice?.adviser ?? callbackPlaceholder<AdviceWanted>('adviser'), stake },
    guards: {
      isLost: ({ context }) => context.lost !== null,
      isValid: ({ context }) => v.safeParse(schema, context.values).success && context.advice?.isRefused !== true,
      isChanged: ({ context: { values, initial } }) => isChanged(values, initial),
      willBeChanged: (
        { context: { values, initial } },
        { field, value }: { field: keyof Values & string; value: string },
      ) => isChanged({ ...values, [field]: value }, initial),
      isDismissible: () => options.dismissible === true,
      isPrecious: ({ context }) =>
        asksFirst && Object.keys(context.values).some((field) => context.values[field] !== context.initial[field]),
      isAsking: () => asksFirst,
      isFatal: (_, { error }: { error: unknown }) => options.endsOn?.(toFailure(error)) === true,
    },
    actions: {
      keepField: assign(({ context }, { field, value }: { field: keyof Values & string; value: string }) => {
        const { [field]: _cleared, ...errors } = context.errors;
        // What was refused is no longer what stands there.
        return { values: { ...context.values, [field]: value }, errors: errors as FormErrors<Values>, refusal: null };
      }),
      showErrors: assign(({ context }) => {
        const refused =
          advice && context.advice?.isRefused ? ({ [advice.field]: advice.error } as FormErrors<Values>) : {};
        return {
          errors: { ...refused, ...findErrors(schema, context.values) },
          refusal: null,
          refusals: context.refusals + 1,
        };
      }),
      keepLost: assign((_, { reason }: { reason: string }) => ({ lost: reason, refusal: null, errors: {} })),
      forgetLost: assign({ lost: null }),
      askAdvice: sendTo('adviser', ({ context }): AdviceWanted => ({ type: 'advice.wanted', values: context.values })),
      keepAdvice: assign((_, given: { advice: Advice | null }) => ({ advice: given.advice })),
      noteNoAdvice: assign({ advice: advice?.away ?? null }),
      forgetErrors: assign({ errors: {}, refusal: null }),
      keepRefusal: assign(({ context }, { error }: { error: unknown }) => {
        const refusal = toFailure(error);
        const field = options.blames?.(refusal) ?? null;
        const refusals = context.refusals + 1;
        if (field !== null)
          return { refusal: null, refusals, errors: { [field]: refusal.message } as FormErrors<Values> };
        return { refusal, refusals, errors: serverErrors(refusal, context.values) };
      }),
      keepAnswer: assign(({ context }, { answer }: { answer: Answer }) => ({
        result: { outcome: 'done' as const, answer, values: v.parse(schema, context.values) },
      })),
      keepDismissal: assign({ result: { outcome: 'dismissed' } }),
      keepLeaving: assign({ result: { outcome: 'left' } }),
      keepEnd: assign(({ context }, { error }: { error: unknown }) => ({
        result: { outcome: 'refused' as const, failure: toFailure(error), typed: context.values },
      })),
    },
  }).createMachine({
    id: options.id,
    context: ({ input }) => {
      const initial = { ...options.initial, ...input.initial };
      return {
        initial,
        values: { ...initial, ...input.draft },
        errors: {},
        refusal: null,
        refusals: 0,
        advice: null,
        lost: null,
        result: null,
      };
    },
    ...(options.keeps ? { meta: { keeps: options.keeps } } : {}),
    ...(advice
      ? {
          invoke: { id: 'adviser', src: 'adviser' as const, onError: { actions: 'noteNoAdvice' as const } },
          on: {
            ...ofPlace,
            'advice.given': {
              actions: { type: 'keepAdvice' as const, params: ({ event }: { event: AdviceGiven }) => event },
            },
            'advice.failed': { actions: 'noteNoAdvice' as const },
          },
        }
      : { on: ofPlace }),
    initial: 'editing',
    states: {
      editing: {
        initial: 'deciding',
        states: {
          deciding: { always: [{ guard: 'isChanged', target: 'changed' }, { target: 'unchanged' }] },
          unchanged: {
            on: {
              'field.changed': [
                { guard: 'isLost' },
                { guard: given('willBeChanged'), target: 'changed', actions: [given('keepField'), ...advised] },
                { actions: [given('keepField'), ...advised] },
              ],
            },
          },
          changed: {
            ...held,
            on: {
              'field.changed': [
                // What stands there is to be copied, not worked on.
                { guard: 'isLost' },
                { guard: given('willBeChanged'), actions: [given('keepField'), ...advised] },
                { target: 'unchanged', actions: [given('keepField'), ...advised] },
              ],
            },
          },
        },
        on: {
          'submit.requested': [
            { guard: 'isLost' },
            { guard: 'isValid', target: 'submitting', actions: 'forgetErrors' },
            { actions: 'showErrors' },
          ],
          'dismiss.requested': [
            { guard: 'isPrecious', target: 'asking' },
            { guard: 'isDismissible', target: 'ended', actions: 'keepDismissal' },
          ],
        },
      },
      asking: {
        ...(asksFirst ? held : {}),
        tags: 'asking',
        on: { 'discard.confirmed': { target: 'ended', actions: 'keepDismissal' }, 'discard.declined': 'editing' },
      },
      submitting: {
        tags: 'submitting',
        invoke: [
          ...(held.invoke ? [held.invoke] : []),
          {
            id: 'submit',
            src: 'submit',
            input: ({ context }) => ({ values: v.parse(schema, context.values) }),
            onDone: {
              target: 'ended',
              actions: { type: 'keepAnswer', params: ({ event }) => ({ answer: event.output }) },
            },
            onError: [
              { guard: given('isFatal'), target: 'ended', actions: given('keepEnd') },
              { target: 'editing', actions: given('keepRefusal') },
            ],
          },
        ],
        initial: 'waiting',
        states: {
          waiting: { on: { 'dismiss.requested': { guard: 'isAsking', target: 'asking' } } },
          asking: {
            tags: 'asking',
            on: {
              'discard.confirmed': { target: `#${options.id}.ended`, actions: 'keepLeaving' },
              'discard.declined': 'waiting',
            },
          },
        },
      },
      ended: { type: 'final' },
    },
    output: ({ context }) => context.result ?? { outcome: 'dismissed' },
  });
}
