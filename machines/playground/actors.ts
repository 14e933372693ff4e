import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import { promisePlaceholder } from '../placeholder.ts';

export type PlaygroundData = {
  models: Model[];
  /** Bytes; larger files are refused before sending. */
  maxUploadBytes: number;
};
/** Loads what every part of the playground needs: GET /v1/models, and the upload limit of the page settings. */
export const loadPlayground = promisePlaceholder<PlaygroundData>('loadPlayground');

export type OpenedFile = {
  file: StoredFile;
  /** An address that a player can load without credentials, for an hour. */
  url: string;
};
/** GET /v1/files/{id} and /v1/files/{id}/url. */
export const readFile = promisePlaceholder<OpenedFile, { fileId: string }>('readFile');
