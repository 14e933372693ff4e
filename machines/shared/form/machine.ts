// Models one form that a person fills in: checked on submit, values kept on refusal (ORG-02, ORG-03).
// Owned by the chart that shows the form: a dialog of the workspace, or the flow of a public screen.
import * as v from 'valibot';
import { assign, fromCallback, not, sendTo, setup } from 'xstate';
import { toFailure } from '../failure.ts';
import { unsavedWork, type UnsavedWork } from '../unsavedWork.ts';
import { withEvent } from '../withEvent.ts';
import type { Draft } from './drafts.ts';
import { findErrors, serverErrors } from './errors.ts';
import { follow, without } from './source.ts';
import type {
  Advice,
  AdviceGiven,
  AdviceRequest,
  FormSubject,
  FormContext,
  FormErrors,
  FormEvent,
  FormInput,
  FormOptions,
  FormResult,
  FormValues,
} from './types.ts';

/** Does nothing, for forms without advice. */
const noPasswordCheck = fromCallback<AdviceRequest, void>(() => undefined);

/** Makes the chart of a form. Its input may set initial values. The actor to provide is `submit`. */
export function createForm<Values extends FormValues, Output, Answer, About extends FormSubject = {}>(
  options: FormOptions<Values, Output, Answer, About>,
) {
  const schemaOf = ({ about }: { about: About }) =>
    typeof options.schema === 'function' ? options.schema(about) : options.schema;
  const asksFirst = options.dismissible === true && options.asksFirst === true;
  const { advice } = options;
  const scope = options.discardedWith === undefined ? 'screen' : options.discardedWith;
  const advised = advice ? (['askAdvice'] as const) : [];
  type Typed = Pick<FormContext<Values, Output, Answer, About>, 'about' | 'initial' | 'values'>;
  /** Unchanged fields are left out: the server may have newer values by the time the draft is used. */
  const draftIn = ({ about, initial, values }: Typed): Draft | null => {
    const changed = (options.keeps ?? []).filter((field) => values[field] !== initial[field]);
    if (changed.length === 0) return null;
    return {
      form: options.id,
      about,
      values: Object.fromEntries(changed.map((field) => [field, values[field] ?? ''])),
    };
  };
  const invokesUnsavedWork =
    scope === null
      ? {}
      : {
          invoke: {
            id: 'unsavedWork',
            src: 'unsavedWork',
            input: ({ self }: { self: { getSnapshot: () => { context: Typed } } }): UnsavedWork => ({
              kind: 'form',
              scope,
              draft: () => draftIn(self.getSnapshot().context),
            }),
          } as const,
        };
  const everywhere = {
    'source.changed': {
      actions: {
        type: 'follow' as const,
        params: ({ event }: { event: { initial: Partial<Values> } }) => event,
      },
    },
    'place.removed': {
      actions: { type: 'setDetached' as const, params: ({ event }: { event: { reason: string } }) => event },
    },
    'place.back': { actions: 'clearDetached' as const },
  };
  const target = (state: string) => `#${options.id}.${state}` as const;
  const editing = {
    'field.changed': [
      // The values are still shown so that the person can copy them.
      { guard: 'isDetached' as const },
      { actions: [withEvent('setField'), ...advised] },
    ],
    'submit.requested': [
      { guard: 'isDetached' as const },
      { guard: 'isValid' as const, target: target('unsaved.submitting'), actions: 'clearErrors' as const },
      { actions: 'showErrors' as const },
    ],
  };
  const dismiss = { guard: 'isDismissible' as const, target: target('ended'), actions: 'setDismissal' as const };
  return setup({
    types: {} as {
      context: FormContext<Values, Output, Answer, About>;
      input: FormInput<Values, About>;
      events: FormEvent<Values>;
      output: FormResult<Answer, Output, About>;
      tags: 'submitting' | 'asking';
    },
    actors: { submit: options.submit, passwordCheck: advice?.passwordCheck ?? noPasswordCheck, unsavedWork },
    guards: {
      isDetached: ({ context }) => context.detached !== null,
      isValid: ({ context }) =>
        v.safeParse(schemaOf(context), context.values).success && context.advice?.isRefused !== true,
      isChanged: ({ context }) =>
        scope !== null && Object.keys(context.values).some((field) => context.values[field] !== context.initial[field]),
      isDismissible: () => options.dismissible === true,
      isAsking: () => asksFirst,
      isFatal: (_, { error }: { error: unknown }) => options.endsOn?.(toFailure(error)) === true,
    },
    actions: {
      setField: assign(({ context }, { field, value }: { field: keyof Values & string; value: string }) => {
        const { initial, values, errors, changedElsewhere } = context;
        return {
          values: { ...values, [field]: value },
          // The value that was refused has changed.
          errors: without(errors, field),
          refusal: null,
          changedElsewhere: value === initial[field] ? without(changedElsewhere, field) : changedElsewhere,
        };
      }),
      follow: assign(
        ({ context: { initial, values, changedElsewhere, errors } }, source: { initial: Partial<Values> }) =>
          follow({ initial, values, changedElsewhere, errors }, source.initial),
      ),
      showErrors: assign(({ context }) => {
        const refused =
          advice && context.advice?.isRefused ? ({ [advice.field]: advice.error } as FormErrors<Values>) : {};
        return {
          errors: { ...refused, ...findErrors(schemaOf(context), context.values) },
          refusal: null,
          refusedSubmits: context.refusedSubmits + 1,
        };
      }),
      setDetached: assign((_, { reason }: { reason: string }) => ({ detached: reason, refusal: null, errors: {} })),
      clearDetached: assign({ detached: null }),
      askAdvice: sendTo('passwordCheck', ({ context }): AdviceRequest => ({
        type: 'advice.requested',
        values: context.values,
        about: context.about,
      })),
      setAdvice: assign((_, { advice }: { advice: Advice | null }) => ({ advice })),
      noteNoAdvice: assign({ advice: advice?.away ?? null }),
      clearErrors: assign({ errors: {}, refusal: null }),
      setRefusal: assign(({ context }, { error }: { error: unknown }) => {
        const refusal = toFailure(error);
        const field = options.blames?.(refusal) ?? null;
        const refusedSubmits = context.refusedSubmits + 1;
        if (field !== null)
          return { refusal: null, refusedSubmits, errors: { [field]: refusal.message } as FormErrors<Values> };
        return { refusal, refusedSubmits, errors: serverErrors(refusal, context.values) };
      }),
      setAnswer: assign(({ context }, { answer }: { answer: Answer }) => ({
        result: {
          outcome: 'done' as const,
          answer,
          values: v.parse(schemaOf(context), context.values),
          about: context.about,
        },
      })),
      setDismissal: assign({ result: { outcome: 'dismissed' } }),
      setLeaving: assign({ result: { outcome: 'left' } }),
      setEnd: assign(({ context }, { error }: { error: unknown }) => ({
        result: { outcome: 'refused' as const, failure: toFailure(error), typed: context.values },
      })),
    },
  }).createMachine({
    id: options.id,
    context: ({ input }) => {
      const initial = { ...options.initial, ...input.initial };
      return {
        // The type allows no `about` only if it is empty.
        about: input.about ?? ({} as About),
        initial,
        values: { ...initial, ...input.draft },
        changedElsewhere: {},
        errors: {},
        refusal: null,
        refusedSubmits: 0,
        advice: null,
        detached: null,
        result: null,
      };
    },
    ...(advice
      ? {
          invoke: { id: 'passwordCheck', src: 'passwordCheck' as const, onError: { actions: 'noteNoAdvice' as const } },
          on: {
            ...everywhere,
            'advice.given': {
              actions: { type: 'setAdvice' as const, params: ({ event }: { event: AdviceGiven }) => event },
            },
            'advice.failed': { actions: 'noteNoAdvice' as const },
          },
        }
      : { on: everywhere }),
    initial: 'unchanged',
    states: {
      unchanged: {
        always: { guard: 'isChanged', target: 'unsaved' },
        on: { ...editing, 'dismiss.requested': dismiss },
      },
      // One `unsavedWork` for all substates, so that the guard's question stays open when a new source or a refusal
      // moves the form between them.
      unsaved: {
        ...invokesUnsavedWork,
        initial: 'changed',
        states: {
          changed: {
            always: { guard: not('isChanged'), target: target('unchanged') },
            on: { ...editing, 'dismiss.requested': [{ guard: 'isAsking', target: 'asking' }, dismiss] },
          },
          asking: {
            tags: 'asking',
            on: {
              'discard.confirmed': { target: target('ended'), actions: 'setDismissal' },
              'discard.declined': 'changed',
            },
          },
          submitting: {
            tags: 'submitting',
            invoke: {
              id: 'submit',
              src: 'submit',
              input: ({ context }) => ({ values: v.parse(schemaOf(context), context.values), about: context.about }),
              onDone: {
                target: target('ended'),
                actions: { type: 'setAnswer', params: ({ event }) => ({ answer: event.output }) },
              },
              onError: [
                { guard: withEvent('isFatal'), target: target('ended'), actions: withEvent('setEnd') },
                { target: 'changed', actions: withEvent('setRefusal') },
              ],
            },
            initial: 'waiting',
            states: {
              waiting: { on: { 'dismiss.requested': { guard: 'isAsking', target: 'asking' } } },
              asking: {
                tags: 'asking',
                on: {
                  'discard.confirmed': { target: target('ended'), actions: 'setLeaving' },
                  'discard.declined': 'waiting',
                },
              },
            },
          },
        },
      },
      ended: { type: 'final' },
    },
    output: ({ context }) => context.result ?? { outcome: 'dismissed' },
  });
}
