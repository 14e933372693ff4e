/** The same 404 for what does not exist, was deleted, or belongs to others. */
import { notFound, type ApiProblem } from '../http/errors.ts';

export const organizationNotFound = (): ApiProblem => notFound('Organization not found.');
export const projectNotFound = (): ApiProblem => notFound('Project not found.');
export const memberNotFound = (): ApiProblem => notFound('Member not found.');
export const invitationNotFound = (): ApiProblem => notFound('Invitation not found.');
export const apiKeyNotFound = (): ApiProblem => notFound('API key not found.');

/** By the name of the path's parameter. */
export const MISSING: Readonly<Record<string, () => ApiProblem>> = {
  organization: organizationNotFound,
  project: projectNotFound,
  user: memberNotFound,
  invitation: invitationNotFound,
  key: apiKeyNotFound,
  transcription: () => notFound('Webhook not found.'),
};
