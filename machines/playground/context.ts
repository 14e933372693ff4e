import type { Model } from '#contract/models.ts';
import type { Failure } from '../shared/failure.ts';
import type { PlaygroundRoute } from '../shared/route.ts';
import type { Addresses, OpenedFile } from './actors.ts';
import { asyncTranslation } from './settings/change.ts';
import { modelById } from './settings/models.ts';
import { obstacleOf, type Obstacle } from './settings/obstacles.ts';
import { ASYNC_DEFAULTS, type AsyncSettings } from './settings/types.ts';
import type { TranscriptionInput } from './transcription/machine.ts';
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
  /** Every model of the server; the panels offer the real ones of their mode. */
  models: readonly Model[];
  maxUploadBytes: number;
  isLiveSupported: boolean;
  addresses: Addresses;
  failure: Failure | null;
  settings: AsyncSettings;
  asyncModelId: string | null;
  /** The file to listen to and to transcribe: the route's, or the opened transcription's. */
  fileId: string | null;
  file: OpenedFile | null;
  fileFailure: Failure | null;
  /** A file that came by upload and that the list doesn't show yet. */
  uploadedFileId: string | null;
  /** A file that is transcribed as soon as it can be: a sample that was chosen. */
  wantedFileId: string | null;
  /** What the `transcription` child is about; null while there is none. */
  job: TranscriptionInput | null;
  /** The id of that transcription, once it has one. */
  openedId: string | null;
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
  settings: input.saved?.async.settings ?? ASYNC_DEFAULTS,
  asyncModelId: null,
  fileId: null,
  file: null,
  fileFailure: null,
  uploadedFileId: null,
  wantedFileId: null,
  job: null,
  openedId: null,
  openings: 0,
  hasFailedEarly: false,
});

/** The model that the async settings apply to. */
export function asyncModel({ models, asyncModelId }: Pick<PlaygroundContext, 'models' | 'asyncModelId'>): Model | null {
  return modelById(models, asyncModelId);
}

/** What of the async settings keeps a transcription from being created; null where nothing does. */
export function obstacleTo(context: Pick<PlaygroundContext, 'models' | 'asyncModelId' | 'settings'>): Obstacle | null {
  return obstacleOf(context.settings.context, asyncTranslation(context.settings), asyncModel(context));
}

/** The playground's own address, with nothing opened; transcripts stay shown as they are. */
export function plainRoute({
  orgUuid,
  projectUuid,
  route: { show, lines },
}: Pick<PlaygroundContext, 'orgUuid' | 'projectUuid' | 'route'>): PlaygroundRoute {
  return {
    screen: 'playground',
    orgUuid,
    projectUuid,
    mode: 'async',
    ...(show === undefined ? {} : { show }),
    ...(lines === undefined ? {} : { lines }),
  };
}
