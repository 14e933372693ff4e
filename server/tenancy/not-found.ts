/** The same 404 for what does not exist, was deleted, or belongs to others. */
import { notFound, type ApiProblem } from '../http/errors.ts';

export const organizationNotFound = (): ApiProblem => notFound('Organization not found.');
export const projectNotFound = (): ApiProblem => notFound('Project not found.');
export const memberNotFound = (): ApiProblem => notFound('Member not found.');
export const invitationNotFound = (): ApiProblem => notFound('Invitation not found.');
export const apiKeyNotFound = (): ApiProblem => notFound('API key not found.');

/** Parameters of paths that people know by another name. */
const MISSING: Readonly<Record<string, () => ApiProblem>> = {
  user: memberNotFound,
  key: apiKeyNotFound,
  transcription: () => notFound('Webhook not found.'),
  // It may be the receipt that is missing.
  transaction: () => notFound(),
};

/** The 404 of a parameter of a path: `{note}` gives "Note not found." */
export const missing = (name: string): ApiProblem =>
  (MISSING[name] ?? (() => notFound(`${name.charAt(0).toUpperCase()}${name.slice(1)} not found.`)))();
