/** The same 404 for what does not exist, was deleted, or belongs to others. */
import { notFound, type Refusal } from '../platform/refusal.ts';

export const organizationNotFound = (): Refusal => notFound('Organization not found.');
export const projectNotFound = (): Refusal => notFound('Project not found.');
export const memberNotFound = (): Refusal => notFound('Member not found.');
export const invitationNotFound = (): Refusal => notFound('Invitation not found.');
export const apiKeyNotFound = (): Refusal => notFound('API key not found.');

/** Parameters of paths that people know by another name. */
const MISSING: Readonly<Record<string, () => Refusal>> = {
  user: memberNotFound,
  key: apiKeyNotFound,
  transcription: () => notFound('Webhook not found.'),
  // It may be the receipt that is missing.
  transaction: () => notFound(),
};

/** The 404 of a parameter of a path: `{note}` gives "Note not found." */
export const missing = (name: string): Refusal =>
  (MISSING[name] ?? (() => notFound(`${name.charAt(0).toUpperCase()}${name.slice(1)} not found.`)))();
