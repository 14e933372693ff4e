import type { Model } from '#contract/models.ts';
import type { Failure } from '../shared/failure.ts';
import type { PlaygroundRoute } from '../shared/route.ts';
import type { Addresses } from './actors.ts';
import type { SavedPlayground } from './types.ts';

export type PlaygroundInput = {
  orgUuid: string;
  projectUuid: string;
  route: PlaygroundRoute;
  /** Of the organization; `stt-tags` adds languages and translation status to the tooltips of tokens. */
  featureFlags: readonly string[];
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** What was there when the playground of this project was left (CON-02). */
  saved?: SavedPlayground | null;
};

export type PlaygroundContext = PlaygroundInput & {
  /** Every model of the server; each side offers the real ones of its mode. */
  models: readonly Model[];
  maxUploadBytes: number;
  isLiveSupported: boolean;
  addresses: Addresses;
  failure: Failure | null;
  /** The request of the logs whose settings a panel has taken over; it is not asked to again. Null without one. */
  openedLog: string | null;
  /** How often the view was opened anew: whatever of it failed is drawn again. */
  openings: number;
  /** Whether the screen failed before it had anything to show. */
  hasFailedEarly: boolean;
};

export const initialContext = (input: PlaygroundInput): PlaygroundContext => ({
  ...input,
  models: [],
  maxUploadBytes: 0,
  isLiveSupported: true,
  addresses: { speech: '', socket: '' },
  failure: null,
  openedLog: input.saved?.openedLog ?? null,
  openings: 0,
  hasFailedEarly: false,
});
