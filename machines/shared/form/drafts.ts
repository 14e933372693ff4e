// Keeps what a person typed in open forms when their session ended, and gives it back to the same person.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import type { FormSubject, FormValues } from './types.ts';

const Meta = v.object({ keeps: v.array(v.string()) });
/** Meta of a state that keeps the values of an ended form; `typedFor` is the form's id. */
const TypedFor = v.object({ typedFor: v.string() });
export type StandIn = v.InferOutput<typeof TypedFor>;
const Texts = v.record(v.string(), v.string());

/** The changed values of one form's kept fields, with what the form is about. */
const Draft = v.object({ form: v.string(), about: Texts, values: Texts });
export type Draft = { form: string; about: FormSubject; values: Readonly<FormValues> };

/** Drafts with their owner. */
export const KeptDrafts = v.object({ userUuid: v.string(), drafts: v.array(Draft) });
export type KeptDrafts = { userUuid: string; drafts: readonly Draft[] };

const KeptContext = v.object({ about: Texts, typed: Texts });
const FormSnapshotContext = v.object({ about: Texts, initial: Texts, values: Texts });

/** The drafts of all changed forms beneath an actor, open or kept by a state (`typedFor`). */
export function draftsUnder(actor: AnyActorRef): Draft[] {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return [];
  const below = Object.values<AnyActorRef | undefined>(snapshot.children).flatMap((child) =>
    child ? draftsUnder(child) : [],
  );
  const [form, metas] = [snapshot.machine.id, snapshot.getMeta()];
  const keeper = Object.values(metas).find((meta) => v.is(TypedFor, meta));
  const typed = v.safeParse(KeptContext, snapshot.context);
  if (v.is(TypedFor, keeper) && typed.success)
    return [{ form: keeper.typedFor, about: typed.output.about, values: typed.output.typed }, ...below];
  const [meta, filled] = [v.safeParse(Meta, metas[form]), v.safeParse(FormSnapshotContext, snapshot.context)];
  if (snapshot.status !== 'active' || !meta.success || !filled.success) return below;
  const { about, initial, values } = filled.output;
  // Unchanged fields are left out: the server may have newer values by then.
  const changed = meta.output.keeps.filter((field) => values[field] !== initial[field]);
  if (changed.length === 0) return below;
  return [{ form, about, values: Object.fromEntries(changed.map((field) => [field, values[field] ?? ''])) }, ...below];
}

/** The draft of the form `form` with exactly this `about`, if there is one. */
export const draftOf = (drafts: readonly Draft[], form: string, about: FormSubject): Readonly<FormValues> | undefined =>
  drafts.find((draft) => draft.form === form && isSame(draft.about, about))?.values;

const isSame = (one: FormSubject, other: FormSubject): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);
