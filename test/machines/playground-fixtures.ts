import {
  createActor,
  setup,
  type ActorRefFrom,
  type AnyEventObject,
  type AnyStateMachine,
  type InputFrom,
} from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { PlaygroundRoute } from '#machines/shared/route.ts';
import { APP_SERVICES, appServiceHearing } from './appServices.ts';

export const playgroundRoute = (changes: Partial<PlaygroundRoute> = {}): PlaygroundRoute => ({
  screen: 'playground',
  orgUuid: 'o1',
  projectUuid: 'p1',
  mode: 'async',
  ...changes,
});

export const LANGUAGES = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'German' },
  { code: 'fr', name: 'French' },
];

export function model(changes: Partial<Model> = {}): Model {
  return {
    id: 'rt-1',
    name: 'Real-time',
    aliased_model_id: null,
    context_version: 2,
    transcription_mode: 'real_time',
    languages: LANGUAGES,
    one_way_translation: 'all_languages',
    two_way_translation: 'all_languages',
    translation_targets: [],
    two_way_translation_pairs: [],
    supports_language_hints_strict: false,
    supports_max_endpoint_delay: false,
    ...changes,
  };
}
export const RT = model();
export const RT_ALIAS = model({ id: 'rt-alias', aliased_model_id: 'rt-1' });
export const ASYNC = model({ id: 'async-1', transcription_mode: 'async' });
export const ASYNC_ALIAS = model({ id: 'async-alias', transcription_mode: 'async', aliased_model_id: 'async-1' });
export const MODELS = [RT_ALIAS, RT, ASYNC_ALIAS, ASYNC];

export function transcription(changes: Partial<Transcription> = {}): Transcription {
  return {
    id: 't1',
    status: 'queued',
    created_at: '2026-11-21T04:00:00.000Z',
    model: 'async-1',
    filename: 'talk.wav',
    file_id: 'f1',
    audio_url: null,
    audio_duration_ms: null,
    audio_notes: null,
    error_type: null,
    error_message: null,
    language_hints: null,
    context: null,
    enable_speaker_diarization: false,
    enable_language_identification: false,
    client_reference_id: null,
    language_hints_strict: null,
    translation: null,
    webhook_url: null,
    webhook_auth_header_name: null,
    webhook_auth_header_value: null,
    webhook_status_code: null,
    progress: null,
    cost_usd: null,
    ...changes,
  };
}

export function storedFile(changes: Partial<StoredFile> = {}): StoredFile {
  return {
    id: 'f1',
    filename: 'talk.wav',
    size: 10,
    created_at: '2026-11-21T04:00:00.000Z',
    client_reference_id: null,
    ...changes,
  };
}

/** Runs a machine beneath a parent that writes down what it hears: from the machine, and as the app services of the page. */
export function underParent<Machine extends AnyStateMachine>(machine: Machine, input: InputFrom<Machine>) {
  const told: AnyEventObject[] = [];
  const hear = (event: AnyEventObject) => void (event.type.startsWith('xstate.') || told.push(event));
  const parent = setup({
    actors: { child: machine as AnyStateMachine, appService: appServiceHearing(hear) },
  }).createMachine({
    invoke: [...APP_SERVICES, { id: 'child', src: 'child', input: () => input }],
    on: { '*': { actions: ({ event }) => hear(event) } },
  });
  const actor = createActor(parent).start();
  return { child: actor.getSnapshot().children['child'] as ActorRefFrom<Machine>, told, stop: () => void actor.stop() };
}

/** What people are told of it. */
export const toastsIn = (told: readonly AnyEventObject[]) =>
  told.flatMap(({ type, kind, text }) => (type === 'toast.requested' ? [`${kind}: ${text}`] : []));
