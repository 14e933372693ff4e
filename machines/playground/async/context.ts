import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { Failure } from '../../shared/failure.ts';
import type { PlaygroundRoute } from '../../shared/route.ts';
import { asyncTranslation, fitAsyncSettings } from '../settings/change.ts';
import { asyncModels, modelById } from '../settings/models.ts';
import { obstacleOf, type Obstacle } from '../settings/obstacles.ts';
import { ASYNC_DEFAULTS, type AsyncSettings } from '../settings/types.ts';
import type { TranscriptionInput } from '../transcription/machine.ts';

/** State of the async side that outlives its screen (CON-02). */
export type SavedAsync = { settings: AsyncSettings; modelId: string | null };

export type AsyncInput = {
  orgUuid: string;
  projectUuid: string;
  route: PlaygroundRoute;
  models: readonly Model[];
  maxUploadBytes: number;
  /** State from the last visit to this project's playground. */
  saved?: SavedAsync | null;
};

export type AsyncContext = Omit<AsyncInput, 'saved'> & {
  settings: AsyncSettings;
  modelId: string | null;
  /** The file to listen to and to transcribe: the route's, or the opened transcription's. */
  fileId: string | null;
  /** What is known of it. */
  file: StoredFile | null;
  /** Where a player loads it. */
  url: string | null;
  fileFailure: Failure | null;
  /**
   * The transcription of the `transcription` child: what to create it with, or its id once it has one. Null without
   * a child.
   */
  job: TranscriptionInput | null;
  /** The failed transcription whose recording the file replaces. */
  like: Transcription | null;
  /** Whether the balance is used up; false while unknown. */
  isExhausted: boolean;
};

export function initialContext({ saved = null, ...input }: AsyncInput): AsyncContext {
  const offered = asyncModels(input.models);
  const model = modelById(offered, saved?.modelId ?? null) ?? offered[0] ?? null;
  return {
    ...input,
    settings: saved ? fitAsyncSettings(saved.settings, model) : ASYNC_DEFAULTS,
    modelId: model?.id ?? null,
    fileId: null,
    file: null,
    url: null,
    fileFailure: null,
    job: null,
    like: null,
    isExhausted: false,
  };
}

/** The model that the settings apply to. */
export function asyncModel({ models, modelId }: Pick<AsyncContext, 'models' | 'modelId'>): Model | null {
  return modelById(models, modelId);
}

/** The first setting that prevents a transcription; null if there is none. */
export function obstacleTo(context: Pick<AsyncContext, 'models' | 'modelId' | 'settings'>): Obstacle | null {
  return obstacleOf(context.settings.context, asyncTranslation(context.settings), asyncModel(context));
}

/** The id of the transcription on show; null while there is none, or none yet. */
export const openedIdOf = ({ job }: Pick<AsyncContext, 'job'>): string | null => (job && 'id' in job ? job.id : null);
