import type { Model } from '#contract/models.ts';
import { promisePlaceholder } from '../shared/placeholder.ts';

/** Base URLs for programs, shown in code. */
export type Addresses = {
  /** URL of the speech API, without `/v1`. */
  speech: string;
  /** URL of the live socket. */
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
/** Loads the models (GET /v1/models), the upload limit from the page settings, and the browser's abilities. */
export const loadPlayground = promisePlaceholder<PlaygroundData>('loadPlayground');
