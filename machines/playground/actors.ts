import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import { promisePlaceholder } from '../shared/placeholder.ts';

/** Where programs reach what the playground uses. */
export type Addresses = {
  /** Of the speech API, without `/v1`. */
  speech: string;
  /** Of the live socket. */
  socket: string;
};

export type PlaygroundData = {
  models: Model[];
  /** Bytes; larger files are refused before sending. */
  maxUploadBytes: number;
  /** Whether this browser can capture sound and hold a live session (LIV-21). */
  isLiveSupported: boolean;
  addresses: Addresses;
};
/** Loads what every part of the playground needs: GET /v1/models, the upload limit of the page settings, what the browser can. */
export const loadPlayground = promisePlaceholder<PlaygroundData>('loadPlayground');

/** `file`: what is known of it already. */
export type FileToRead = { fileId: string; file: StoredFile | null };
export type OpenedFile = {
  file: StoredFile;
  /** An address that a player can load without credentials, for an hour. */
  url: string;
};
/** GET /v1/files/{id}, unless the file is known, and /v1/files/{id}/url. */
export const readFile = promisePlaceholder<OpenedFile, FileToRead>('readFile');

/** Whether a file that the browser cannot play is a recording by its first bytes, so that the server may still read it; rejects where they cannot be read. */
export const probeRecording = promisePlaceholder<boolean, { url: string }>('probeRecording');
