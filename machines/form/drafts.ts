// What a person had typed when their session ended in the middle: taken from the open forms, given back to the same person.
import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import type { FormValues } from './machine.ts';

/** The kept fields of one form, among them those that say what it belongs to. */
export type Draft = { form: string; values: Readonly<FormValues> };

/** Whose drafts they are. */
export type LeftDrafts = { userUuid: string; drafts: readonly Draft[] };

const Meta = v.object({ keeps: v.array(v.string()) });
const Held = v.object({ initial: v.record(v.string(), v.string()), values: v.record(v.string(), v.string()) });

/** The drafts of all open forms beneath an actor, in which something was typed. */
export function draftsUnder(actor: AnyActorRef): Draft[] {
  const snapshot: unknown = actor.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return [];
  const below = Object.values<AnyActorRef | undefined>(snapshot.children).flatMap((child) => (child ? draftsUnder(child) : []));
  const form = snapshot.machine.id;
  const [meta, held] = [v.safeParse(Meta, snapshot.getMeta()[form]), v.safeParse(Held, snapshot.context)];
  if (snapshot.status !== 'active' || !meta.success || !held.success) return below;
  const { initial, values } = held.output;
  if (meta.output.keeps.every((field) => values[field] === initial[field])) return below;
  return [{ form, values: Object.fromEntries(meta.output.keeps.map((field) => [field, values[field] ?? ''])) }, ...below];
}

/** The draft of the form `form` that belongs to `place` (the values of the fields that say so), if there is one. */
export const draftOf = (drafts: readonly Draft[], form: string, place: Readonly<FormValues>): Readonly<FormValues> | undefined =>
  drafts.find((draft) => draft.form === form && Object.entries(place).every(([field, value]) => draft.values[field] === value))?.values;
