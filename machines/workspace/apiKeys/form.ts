import * as v from 'valibot';
import { ApiKeyCreate } from '#contract/api-keys.ts';
import { createForm } from '../../shared/form/machine.ts';
import { createKey } from './actors.ts';

/** Lifetimes of a key, in days; empty for one that does not expire. */
export const LIFETIMES = ['', '30', '90', '365'] as const;

const KeyForm = v.object({
  name: ApiKeyCreate.entries.name,
  expiresInDays: v.pipe(
    v.string(),
    v.transform((days) => (days === '' ? null : Number(days))),
  ),
});

export const keyForm = createForm({
  id: 'keyForm',
  schema: KeyForm,
  initial: { name: '', expiresInDays: '' },
  submit: createKey,
  dismissible: true,
  asksFirst: true,
  keeps: ['name', 'expiresInDays'],
});
