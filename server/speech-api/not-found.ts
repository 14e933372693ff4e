/** The speech API's 404 for what does not exist, was deleted, or belongs to others. */
import { ApiProblem } from '../http/errors.ts';

export const projectNotFound = (): ApiProblem =>
  new ApiProblem(404, 'project_not_found', 'Project could not be found.');
export const fileNotFound = (): ApiProblem => new ApiProblem(404, 'file_not_found', 'File could not be found.');
export const transcriptionNotFound = (): ApiProblem =>
  new ApiProblem(404, 'transcription_not_found', 'Transcription could not be found.');
