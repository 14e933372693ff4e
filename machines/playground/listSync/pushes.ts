import type { ConsoleEvent } from '#contract/events.ts';
import type { Loaded } from './actors.ts';

/** What happened in the project elsewhere, or that something may have been missed. */
export type PlaygroundPush = { type: 'push.received'; event: ConsoleEvent };

type ListEvent = Extract<ConsoleEvent, { type: 'resync' | `transcription.${string}` | `file.${string}` }>;

const isOfLists = (event: ConsoleEvent): event is ListEvent =>
  event.type === 'resync' || event.type.startsWith('transcription.') || event.type.startsWith('file.');

/** Whether an event concerns the lists of a project. */
export const isForLists = (event: ConsoleEvent, projectUuid: string): boolean =>
  isOfLists(event) && (event.type === 'resync' || event.project_uuid === projectUuid);

/** The event of the chart `listSync` for an event of the server. @throws if it does not concern the lists */
export function listSyncEventOf(event: ConsoleEvent, loaded: Loaded) {
  if (!isOfLists(event)) throw new Error(`'${event.type}' does not concern the lists.`);
  switch (event.type) {
    case 'resync':
      return { type: 'lists.outdated' as const, loaded };
    case 'transcription.created':
    case 'transcription.changed':
      return {
        type: 'item.changed' as const,
        kind: 'transcription' as const,
        id: event.transcription_id,
        isNew: event.type === 'transcription.created',
        loaded,
      };
    case 'transcription.deleted':
      return { type: 'item.deleted' as const, kind: 'transcription' as const, id: event.transcription_id };
    case 'file.created':
      return { type: 'item.changed' as const, kind: 'file' as const, id: event.file_id, isNew: true, loaded };
    case 'file.deleted':
      return { type: 'item.deleted' as const, kind: 'file' as const, id: event.file_id };
  }
}
