import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import type { Failure } from '../shared/failure.ts';
import type { NavigateRequested } from '../shared/appServices.ts';
import type { PlaygroundRoute } from '../shared/route.ts';
import type { Addresses } from './actors.ts';
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
  /** What is known of it. */
  file: StoredFile | null;
  /** Where a player loads it. */
  url: string | null;
  fileFailure: Failure | null;
  /** What the `transcription` child is about, by its id once it has one; null while there is none. */
  job: TranscriptionInput | null;
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
  url: null,
  fileFailure: null,
  job: null,
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

/** The id of the transcription on show; null while there is none, or none yet. */
export const openedIdOf = ({ job }: Pick<PlaygroundContext, 'job'>): string | null =>
  job && 'id' in job ? job.id : null;

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

/** Asks for the address of something that is opened, or for the plain one. */
export const opening = (
  context: PlaygroundContext,
  opened: Pick<PlaygroundRoute, 'fileId' | 'transcriptionId'> = {},
): NavigateRequested => ({ type: 'navigate.requested', to: { ...plainRoute(context), ...opened } });
