// Drafts: what a person typed in open forms when their session ended. `unsavedWork.ts` collects them.
import * as v from 'valibot';
import type { FormSubject, FormValues } from './types.ts';

const Texts = v.record(v.string(), v.string());

/** The changed values of one form's kept fields, with what the form is about. */
const Draft = v.object({ form: v.string(), about: Texts, values: Texts });
export type Draft = { form: string; about: FormSubject; values: Readonly<FormValues> };

/** Drafts with their owner. */
export const KeptDrafts = v.object({ userUuid: v.string(), drafts: v.array(Draft) });
export type KeptDrafts = { userUuid: string; drafts: readonly Draft[] };

/** The draft of the form `form` with exactly this `about`, if there is one. */
export const draftOf = (drafts: readonly Draft[], form: string, about: FormSubject): Readonly<FormValues> | undefined =>
  drafts.find((draft) => draft.form === form && isSame(draft.about, about))?.values;

const isSame = (one: FormSubject, other: FormSubject): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);
