/** The speech API's 404 for what does not exist, was deleted, or belongs to others. */
import { Refusal } from '../platform/refusal.ts';

export const projectNotFound = (): Refusal =>
  new Refusal('not_found', 'project_not_found', 'Project could not be found.');
export const fileNotFound = (): Refusal => new Refusal('not_found', 'file_not_found', 'File could not be found.');
export const transcriptionNotFound = (): Refusal =>
  new Refusal('not_found', 'transcription_not_found', 'Transcription could not be found.');
