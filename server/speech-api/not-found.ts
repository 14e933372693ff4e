/** What is unknown, deleted meanwhile, or of others, in the words of the speech API (404). */
import { ApiProblem } from '../http/errors.ts';

export const projectNotFound = (): ApiProblem =>
  new ApiProblem(404, 'project_not_found', 'Project could not be found.');
export const fileNotFound = (): ApiProblem => new ApiProblem(404, 'file_not_found', 'File could not be found.');
export const transcriptionNotFound = (): ApiProblem =>
  new ApiProblem(404, 'transcription_not_found', 'Transcription could not be found.');
