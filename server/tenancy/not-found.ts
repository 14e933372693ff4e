/** The same 404 for what does not exist, was deleted, or belongs to others. */
import { notFound, type Refusal } from '../platform/refusal.ts';

export const organizationNotFound = (): Refusal => notFound('Organization not found.');
export const projectNotFound = (): Refusal => notFound('Project not found.');
export const memberNotFound = (): Refusal => notFound('Member not found.');
export const invitationNotFound = (): Refusal => notFound('Invitation not found.');
export const apiKeyNotFound = (): Refusal => notFound('API key not found.');

/** By the name of the path's parameter. */
export const MISSING: Readonly<Record<string, () => Refusal>> = {
  organization: organizationNotFound,
  project: projectNotFound,
  user: memberNotFound,
  invitation: invitationNotFound,
  key: apiKeyNotFound,
  transcription: () => notFound('Webhook not found.'),
};
