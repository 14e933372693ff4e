// What a form is made of: its values, what it hears, how it ends, and what whoever makes one says about it.
import type { GenericSchema } from 'valibot';
import type { CallbackActorLogic, PromiseActorLogic } from 'xstate';
import type { Failure } from '../failure.ts';
import type { PlaceEvent, UnsavedWork } from '../unsavedWork.ts';

export type FormValues = Record<string, string>;
/** What a form is about, and nobody types: the UUIDs of its organization, project or person, the token of a link. */
export type FormAbout = Readonly<Record<string, string>>;
export type FormErrors<Values> = Partial<Record<keyof Values & string, string>>;

/** What is said of a field while it is typed; a refused value is not sent. */
export type Advice = { isRefused: boolean; title: string; text: string };

/** Asks for advice on the values as they are now. */
export type AdviceRequest = { type: 'advice.requested'; values: Readonly<FormValues>; about: FormAbout };

/** The answer; null where there is nothing to say. */
export type AdviceGiven = { type: 'advice.given'; advice: Advice | null };

/** Checks what is typed for as long as the form is open, and advises. */
export type PasswordCheck = CallbackActorLogic<AdviceRequest, void>;

export type FormContext<Values extends FormValues, Output, Answer, About extends FormAbout> = {
  about: About;
  /** What stood in the fields before anybody typed. */
  initial: Values;
  values: Values;
  /** What fields in which something else is typed were set to elsewhere meanwhile: submitting replaces it. */
  changedElsewhere: Partial<Values>;
  /** One text per field; a field's text goes when the field changes. */
  errors: FormErrors<Values>;
  /** Why the last submit was refused; shown in a red alert until a field changes or the next submit (CON-19). */
  refusal: Failure | null;
  /** How many submits were refused so far, by the schema or by the server: after each one the first invalid field is shown. */
  refusals: number;
  advice: Advice | null;
  /** Why nothing can be submitted any more: what the form belongs to is gone. What was typed can still be read. */
  detached: string | null;
  result: FormResult<Answer, Output, About> | null;
};

export type FormEvent<Values extends FormValues> =
  | { type: 'field.changed'; field: keyof Values & string; value: string }
  | { type: 'submit.requested' }
  | { type: 'dismiss.requested' }
  | { type: 'discard.confirmed' }
  | { type: 'discard.declined' }
  /** What the form began with is something else by now: fields that were left alone follow. */
  | { type: 'source.changed'; initial: Partial<Values> }
  | AdviceGiven
  | PlaceEvent
  /** From now on there will be none. */
  | { type: 'advice.failed' };

export type FormSchema<Values, Output> = GenericSchema<Values, Output>;

/** What a form hands to the actor that sends it. */
export type Submitted<Output, About extends FormAbout = FormAbout> = { values: Output; about: About };

/** What a form starts from. `draft` is what the person had typed before; it counts as typed. */
export type FormInput<Values, About extends FormAbout> = {
  initial?: Partial<Values>;
  draft?: Partial<Values> | undefined;
} & ({} extends About ? { about?: About } : { about: About });

/**
 * How a form ends: accepted, given up by the person, refused for good (see `endsOn`), or left while its values were on
 * their way: nobody knows then whether the server took them.
 */
export type FormResult<Answer, Output, About extends FormAbout = FormAbout> =
  | { outcome: 'done'; answer: Answer; values: Output; about: About }
  | { outcome: 'dismissed' }
  | { outcome: 'left' }
  | { outcome: 'refused'; failure: Failure; typed: FormValues };

export type FormOptions<Values extends FormValues, Output, Answer, About extends FormAbout> = {
  id: string;
  /** Of the values; it may depend on what the form is about. */
  schema: FormSchema<Values, Output> | ((about: About) => FormSchema<Values, Output>);
  initial: Values;
  /** Sends the checked values; rejects with a CallError. */
  submit: PromiseActorLogic<Answer, Submitted<Output, About>>;
  /** Whether `dismiss.requested` ends it. */
  dismissible?: boolean;
  /** Whether it asks before it gives up typed values, or an answer that is under way. */
  asksFirst?: boolean;
  /** A refusal that no other input could change: the form ends with it. */
  endsOn?: (failure: Failure) => boolean;
  /** The one field that a refusal is about, where the server names none: its text is shown there instead of above the form. */
  blames?: (failure: Failure) => (keyof Values & string) | null;
  /** Advises on one field while it is typed. `error` stands at the field where a refused value is submitted, `away` is what is said where no advice comes. */
  advice?: { field: keyof Values & string; passwordCheck: PasswordCheck; error: string; away: Advice };
  /** The fields that outlive a session that ends in the middle: they are given back to the same person. Secrets never are. */
  keeps?: readonly (keyof Values & string)[];
  /**
   * With what typed values would be discarded: with the screen, or, in a dialog that no change of the screen closes, with
   * the session. Null where there is nothing to lose. By default the screen.
   */
  discardedWith?: UnsavedWork['scope'] | null;
};

/** What forms tell about themselves besides their snapshot; see drafts.ts. */
export type FormMeta = { keeps: readonly string[] };
