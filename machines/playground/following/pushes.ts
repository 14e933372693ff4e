import type { ConsoleEvent } from '#contract/events.ts';
import type { Loaded } from './actors.ts';

/** What an event is to the lists; guarded by `isForLists`. */
export function toFollow(event: ConsoleEvent, loaded: Loaded) {
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
    case 'billing.changed':
    case 'limits.changed':
    case 'log.added':
    case 'members.changed':
    case 'membership.added':
    case 'membership.changed':
    case 'membership.removed':
    case 'organization.changed':
    case 'organization.deleted':
    case 'project.created':
    case 'project.changed':
    case 'project.deleted':
    case 'project_member.added':
    case 'project_member.removed':
    case 'session.ended':
      throw new Error(`'${event.type}' is nothing to the lists.`);
  }
}
