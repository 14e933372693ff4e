// What a person had typed when their session ended in the middle: taken from the open forms, given back to the same person.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import type { FormValues } from './machine.ts';

/** The kept fields of one form, among them those that say what it belongs to. */
export type Draft = { form: string; values: Readonly<FormValues> };

/** Whose drafts they are. */
export type LeftDrafts = { userUuid: string; drafts: readonly Draft[] };

const Meta = v.object({ keeps: v.array(v.string()) });
/** Of a state that holds what a form held which has ended: the name of the form. */
const StandsIn = v.object({ typedFor: v.string() });
export type StandIn = v.InferOutput<typeof StandsIn>;
const Typed = v.object({ typed: v.record(v.string(), v.string()) });
const Held = v.object({ initial: v.record(v.string(), v.string()), values: v.record(v.string(), v.string()) });

/** The drafts of all open forms beneath an actor, in which something was typed, and of the questions that came of one. */
export function draftsUnder(actor: AnyActorRef): Draft[] {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return [];
  const below = Object.values<AnyActorRef | undefined>(snapshot.children).flatMap((child) =>
    child ? draftsUnder(child) : [],
  );
  const [form, metas] = [snapshot.machine.id, snapshot.getMeta()];
  const standIn = Object.values(metas).find((meta) => v.is(StandsIn, meta));
  const typed = v.safeParse(Typed, snapshot.context);
  if (v.is(StandsIn, standIn) && typed.success)
    return [{ form: standIn.typedFor, values: typed.output.typed }, ...below];
  const [meta, held] = [v.safeParse(Meta, metas[form]), v.safeParse(Held, snapshot.context)];
  if (snapshot.status !== 'active' || !meta.success || !held.success) return below;
  const { initial, values } = held.output;
  if (meta.output.keeps.every((field) => values[field] === initial[field])) return below;
  return [
    { form, values: Object.fromEntries(meta.output.keeps.map((field) => [field, values[field] ?? ''])) },
    ...below,
  ];
}

/** The draft of the form `form` that belongs to `place` (the values of the fields that say so), if there is one. */
export const draftOf = (
  drafts: readonly Draft[],
  form: string,
  place: Readonly<FormValues>,
): Readonly<FormValues> | undefined =>
  drafts.find(
    (draft) => draft.form === form && Object.entries(place).every(([field, value]) => draft.values[field] === value),
  )?.values;
