/** What the two lists of the playground hold when a path says so, instead of what the server has. */
import { createHash } from 'node:crypto';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { RemovalKind } from '#machines/playground/removal/actors.ts';

/** The lists: their name on the page, and in addresses and answers. */
export const LISTS = [
  { kind: 'file', label: 'Files', field: 'files' },
  { kind: 'transcription', label: 'Transcriptions', field: 'transcriptions' },
] as const;

/** The one that is still worked on, as a transcription. */
export const RUNNING = 'third.wav';

/** An item of that name; always the same one. As a file it is without the fields of a transcription. */
export function listItem(name: string, kind: RemovalKind = 'file'): StoredFile | Transcription {
  const [hex] = createHash('sha256')
    .update(name)
    .digest('hex')
    .match(/^.{32}/) ?? [''];
  const id = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  const created_at = '2026-01-05T10:00:00.000Z';
  if (kind === 'file') return { id, filename: name, size: 1000, created_at, client_reference_id: null };
  return {
    id,
    created_at,
    filename: name,
    status: name === RUNNING ? 'processing' : 'completed',
    model: 'the first',
    file_id: null,
    audio_url: null,
    audio_duration_ms: 1000,
    error_type: null,
    error_message: null,
    language_hints: null,
    language_hints_strict: null,
    context: null,
    enable_speaker_diarization: false,
    enable_language_identification: false,
    translation: null,
    webhook_url: null,
    webhook_auth_header_name: null,
    webhook_auth_header_value: null,
    webhook_status_code: null,
    client_reference_id: null,
    progress: null,
    cost_usd: null,
  };
}
