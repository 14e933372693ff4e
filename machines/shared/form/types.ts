// Types of a form: its values, context, events, results and options.
import type { GenericSchema } from 'valibot';
import type { CallbackActorLogic, PromiseActorLogic } from 'xstate';
import type { Failure } from '../failure.ts';

export type FormValues = Record<string, string>;
/** Fixed values that identify the form's subject: UUIDs of its organization, project or person, or a link's token. */
export type FormSubject = Readonly<Record<string, string>>;
export type FormErrors<Values> = Partial<Record<keyof Values & string, string>>;

/** Advice on a field's value while it is typed. The form does not send a refused value. */
export type Advice = { isRefused: boolean; title: string; text: string };

/** Asks for advice on the present values. */
export type AdviceRequest = { type: 'advice.requested'; values: Readonly<FormValues>; about: FormSubject };

/** The answer to {@link AdviceRequest}; null for no advice. */
export type AdviceGiven = { type: 'advice.given'; advice: Advice | null };

/** Advises on the values as they are typed, while the form is open. */
export type PasswordCheck = CallbackActorLogic<AdviceRequest, void>;

export type FormContext<Values extends FormValues, Output, Answer, About extends FormSubject> = {
  about: About;
  /** The values before anybody typed. */
  initial: Values;
  values: Values;
  /** Values that somebody else has saved for fields that the person has changed; submitting overwrites them. */
  changedElsewhere: Partial<Values>;
  /** One text per field; a field's text goes when the field changes. */
  errors: FormErrors<Values>;
  /** Why the last submit was refused; shown in a red alert until a field changes or the next submit (CON-19). */
  refusal: Failure | null;
  /** Submits refused so far, by schema or server; after each the view shows the first invalid field. */
  refusedSubmits: number;
  advice: Advice | null;
  /** Why the form cannot be submitted: its place is gone. The values can still be read. */
  detached: string | null;
  result: FormResult<Answer, Output, About> | null;
};

/** Tells a form with unsaved text that its place is gone or back. `reason` is a sentence for people. */
export type PlaceEvent = { type: 'place.removed'; reason: string } | { type: 'place.back' };

export type FormEvent<Values extends FormValues> =
  | { type: 'field.changed'; field: keyof Values & string; value: string }
  | { type: 'submit.requested' }
  | { type: 'dismiss.requested' }
  | { type: 'discard.confirmed' }
  | { type: 'discard.declined' }
  /** Somebody else changed the initial values: unchanged fields take the new ones. */
  | { type: 'source.changed'; initial: Partial<Values> }
  | AdviceGiven
  | PlaceEvent
  /** No more advice will come. */
  | { type: 'advice.failed' };

export type FormSchema<Values, Output> = GenericSchema<Values, Output>;

/** Input of the form's `submit` actor. */
export type Submitted<Output, About extends FormSubject = FormSubject> = { values: Output; about: About };

/** Input of a form. `draft` is what the person had typed before; it counts as typed. */
export type FormInput<Values, About extends FormSubject> = {
  initial?: Partial<Values>;
  draft?: Partial<Values> | undefined;
} & ({} extends About ? { about?: About } : { about: About });

/**
 * How a form ends: accepted, dismissed by the person, refused for good (see `endsOn`), or closed while a submit was
 * under way (`left`), so that its outcome is unknown.
 */
export type FormResult<Answer, Output, About extends FormSubject = FormSubject> =
  | { outcome: 'done'; answer: Answer; values: Output; about: About }
  | { outcome: 'dismissed' }
  | { outcome: 'left' }
  | { outcome: 'refused'; failure: Failure; typed: FormValues };

export type FormOptions<Values extends FormValues, Output, Answer, About extends FormSubject> = {
  id: string;
  /** Schema of the values; may depend on the form's `about`. */
  schema: FormSchema<Values, Output> | ((about: About) => FormSchema<Values, Output>);
  initial: Values;
  /** Sends the checked values; rejects with a CallError. */
  submit: PromiseActorLogic<Answer, Submitted<Output, About>>;
  /** Whether `dismiss.requested` ends the form. */
  dismissible?: boolean;
  /** Whether a dismissible form asks before it discards typed values or leaves a submit under way. */
  asksFirst?: boolean;
  /** Whether a refusal is final whatever is typed; the form then ends with it. */
  endsOn?: (failure: Failure) => boolean;
  /** The field that a refusal is about, if the server names none; its text is shown there, not above the form. */
  blames?: (failure: Failure) => (keyof Values & string) | null;
  /**
   * Advice on one field. `error`: the field's error if a refused value is submitted. `away`: shown if the check fails.
   */
  advice?: { field: keyof Values & string; passwordCheck: PasswordCheck; error: string; away: Advice };
} & Loss<Values>;

/** What a form's end loses. */
type Loss<Values extends FormValues> =
  | {
      /** Fields whose values survive the end of the session, for the same person. Never secrets. */
      keeps?: readonly (keyof Values & string)[];
      /** What ends the typed values: the screen (default), or the session for a dialog that outlives the screen. */
      discardedWith?: 'screen' | 'session';
    }
  /** Nothing is lost. Such a form registers with no guard, so it keeps nothing either. */
  | { keeps?: never; discardedWith: null };
