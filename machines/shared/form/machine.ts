// Models one form that a person fills in: checked on submit, values kept on refusal (ORG-02, ORG-03).
// Owned by whatever shows the form: a dialog of the workspace, or the flow of a public screen.
import * as v from 'valibot';
import { assign, sendTo, setup } from 'xstate';
import { toFailure } from '../failure.ts';
import { stake, type Stake } from '../stake.ts';
import { callbackPlaceholder } from '../placeholder.ts';
import { given } from '../given.ts';
import { findErrors, serverErrors } from './errors.ts';
import { follow, without } from './source.ts';
import type {
  Advice,
  AdviceGiven,
  AdviceWanted,
  FormAbout,
  FormContext,
  FormErrors,
  FormEvent,
  FormInput,
  FormMeta,
  FormOptions,
  FormResult,
  FormValues,
} from './types.ts';

/** The form of a schema; its input may fill fields beforehand. The actor to provide is `submit`. */
export function createForm<Values extends FormValues, Output, Answer, About extends FormAbout = {}>(
  options: FormOptions<Values, Output, Answer, About>,
) {
  const schemaOf = ({ about }: { about: About }) =>
    typeof options.schema === 'function' ? options.schema(about) : options.schema;
  const asksFirst = options.dismissible === true && options.asksFirst === true;
  const { advice } = options;
  const scope = options.losesWith === undefined ? 'screen' : options.losesWith;
  const isChanged = (values: Values, initial: Values) =>
    scope !== null && Object.keys(values).some((field) => values[field] !== initial[field]);
  const advised = advice ? (['askAdvice'] as const) : [];
  // As long as something is typed, and on its way.
  const invokesStake =
    scope === null
      ? {}
      : { invoke: { id: 'stake', src: 'stake', input: { kind: 'form', scope } satisfies Stake } as const };
  const everywhere = {
    'source.changed': {
      actions: {
        type: 'follow' as const,
        params: ({ event }: { event: { initial: Partial<Values> } }) => event,
      },
    },
    'place.lost': {
      actions: { type: 'keepLost' as const, params: ({ event }: { event: { reason: string } }) => event },
    },
    'place.back': { actions: 'forgetLost' as const },
  };
  return setup({
    types: {} as {
      context: FormContext<Values, Output, Answer, About>;
      input: FormInput<Values, About>;
      events: FormEvent<Values>;
      output: FormResult<Answer, Output, About>;
      tags: 'submitting' | 'asking';
      meta: FormMeta;
    },
    actors: { submit: options.submit, adviser: advice?.adviser ?? callbackPlaceholder<AdviceWanted>('adviser'), stake },
    guards: {
      isLost: ({ context }) => context.lost !== null,
      isValid: ({ context }) =>
        v.safeParse(schemaOf(context), context.values).success && context.advice?.isRefused !== true,
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
        const { initial, values, errors, overtaken } = context;
        return {
          values: { ...values, [field]: value },
          // What was refused is no longer what stands there.
          errors: without(errors, field),
          refusal: null,
          overtaken: value === initial[field] ? without(overtaken, field) : overtaken,
        };
      }),
      follow: assign(({ context: { initial, values, overtaken, errors } }, source: { initial: Partial<Values> }) =>
        follow({ initial, values, overtaken, errors }, source.initial),
      ),
      showErrors: assign(({ context }) => {
        const refused =
          advice && context.advice?.isRefused ? ({ [advice.field]: advice.error } as FormErrors<Values>) : {};
        return {
          errors: { ...refused, ...findErrors(schemaOf(context), context.values) },
          refusal: null,
          refusals: context.refusals + 1,
        };
      }),
      keepLost: assign((_, { reason }: { reason: string }) => ({ lost: reason, refusal: null, errors: {} })),
      forgetLost: assign({ lost: null }),
      askAdvice: sendTo('adviser', ({ context }): AdviceWanted => ({
        type: 'advice.wanted',
        values: context.values,
        about: context.about,
      })),
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
        result: {
          outcome: 'done' as const,
          answer,
          values: v.parse(schemaOf(context), context.values),
          about: context.about,
        },
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
        // Only a form that is about nothing may be opened without.
        about: input.about ?? ({} as About),
        initial,
        values: { ...initial, ...input.draft },
        overtaken: {},
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
            ...everywhere,
            'advice.given': {
              actions: { type: 'keepAdvice' as const, params: ({ event }: { event: AdviceGiven }) => event },
            },
            'advice.failed': { actions: 'noteNoAdvice' as const },
          },
        }
      : { on: everywhere }),
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
            ...invokesStake,
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
          'source.changed': { target: '.deciding', actions: given('follow') },
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
        ...(asksFirst ? invokesStake : {}),
        tags: 'asking',
        on: { 'discard.confirmed': { target: 'ended', actions: 'keepDismissal' }, 'discard.declined': 'editing' },
      },
      submitting: {
        tags: 'submitting',
        invoke: [
          ...(invokesStake.invoke ? [invokesStake.invoke] : []),
          {
            id: 'submit',
            src: 'submit',
            input: ({ context }) => ({ values: v.parse(schemaOf(context), context.values), about: context.about }),
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
