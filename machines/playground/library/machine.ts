// Models what a project has: the lists of its files and transcriptions, which follow what others do, and lose what is removed.
// Owned by `async`, for as long as the playground is open.
import { sendTo, setup } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ToastRequested } from '../../shared/appServices.ts';
import { sendToApp } from '../../shared/appServices.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { withEvent } from '../../shared/withEvent.ts';
import type { Listed, ListsRead } from '../listSync/actors.ts';
import { loadedIn } from '../listSync/loaded.ts';
import { listSyncMachine, type ListSyncNotice } from '../listSync/machine.ts';
import { listSyncEventOf, type PlaygroundPush } from '../listSync/pushes.ts';
import { filesMachine, listOf, transcriptionsMachine } from '../lists.ts';
import { removalMachine, type RemovalItem, type RemovalNotice } from '../removal/machine.ts';
import { removalToast } from '../removal/texts.ts';

type ListedRead = Extract<ListSyncNotice, { type: 'listed.read' }>;
type Stored = { type: 'file.stored'; file: StoredFile };
type Transcribed = { transcription: Transcription };

/** What the parent hears. */
export type LibraryNotice =
  | { type: 'item.removed'; item: RemovalItem }
  | { type: 'transcriptions.read'; transcriptions: readonly Transcription[] };

export const libraryMachine = setup({
  types: {} as {
    events:
      | Stored
      | ({ type: 'transcription.stored' } & Transcribed)
      | ({ type: 'transcription.updated' } & Transcribed)
      | PlaygroundPush
      | ListSyncNotice
      | RemovalNotice;
    children: { files: 'files'; transcriptions: 'transcriptions'; listSync: 'listSync'; removal: 'removal' };
  },
  actors: {
    files: filesMachine,
    transcriptions: transcriptionsMachine,
    listSync: listSyncMachine,
    removal: removalMachine,
  },
  guards: { isTranscription: (_, { kind }: ListedRead) => kind === 'transcription' },
  actions: {
    addFile: sendTo('files', (_, { file }: Stored) => ({ type: 'item.added' as const, item: file })),
    addTranscription: sendTo('transcriptions', (_, { transcription }: Transcribed) => ({
      type: 'item.added' as const,
      item: transcription,
    })),
    updateTranscription: sendTo('transcriptions', (_, { transcription }: Transcribed) => ({
      type: 'item.updated' as const,
      item: transcription,
    })),
    take: sendTo(
      (_, { item }: { item: RemovalItem }) => listOf(item),
      (_, { item }) => ({ type: 'item.removed' as const, id: item.id }),
    ),
    putBack: sendTo(
      (_, { item }: { item: RemovalItem }) => listOf(item),
      (_, { item }) => ({ type: 'item.restored' as const, id: item.id }),
    ),
    follow: sendTo('listSync', ({ self }, { event }: { event: ConsoleEvent }) =>
      listSyncEventOf(event, loadedIn(self)),
    ),
    adopt: sendTo(
      (_, read: ListedRead) => listOf(read),
      (_, { isNew, item }) => ({ type: isNew ? ('item.arrived' as const) : ('item.updated' as const), item }),
    ),
    lose: sendTo(
      (_, gone: Listed) => listOf(gone),
      (_, { id }) => ({ type: 'item.gone' as const, id }),
    ),
    renewFiles: sendTo('files', (_, { files }: ListsRead) => ({ type: 'beginning.read' as const, page: files })),
    renewTranscriptions: sendTo('transcriptions', (_, { transcriptions }: ListsRead) => ({
      type: 'beginning.read' as const,
      page: transcriptions,
    })),
    notifyParent: notifyParent<LibraryNotice>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
}).createMachine({
  id: 'library',
  invoke: [
    { id: 'files', src: 'files' },
    { id: 'transcriptions', src: 'transcriptions' },
    { id: 'listSync', src: 'listSync' },
    { id: 'removal', src: 'removal' },
  ],
  on: {
    'file.stored': { actions: withEvent('addFile') },
    'transcription.stored': { actions: withEvent('addTranscription') },
    'transcription.updated': { actions: withEvent('updateTranscription') },
    'push.received': { actions: withEvent('follow') },
    'listed.read': [
      {
        guard: withEvent('isTranscription'),
        actions: [
          withEvent('adopt'),
          {
            type: 'notifyParent',
            params: ({ event }) => ({
              type: 'transcriptions.read',
              transcriptions: event.kind === 'transcription' ? [event.item] : [],
            }),
          },
        ],
      },
      { actions: withEvent('adopt') },
    ],
    'listed.gone': { actions: withEvent('lose') },
    'lists.read': {
      actions: [
        withEvent('renewFiles'),
        withEvent('renewTranscriptions'),
        {
          type: 'notifyParent',
          params: ({ event }) => ({ type: 'transcriptions.read', transcriptions: event.transcriptions.items }),
        },
      ],
    },
    // The row goes at once, and comes back if the server refuses.
    'removal.started': { actions: withEvent('take') },
    'removal.halted': { actions: withEvent('putBack') },
    'removal.failed': {
      actions: [
        withEvent('putBack'),
        { type: 'sendToApp', params: ({ event }) => removalToast(event.item, 'error', event.failure) },
      ],
    },
    'removal.succeeded': {
      actions: [
        { type: 'sendToApp', params: ({ event }) => removalToast(event.item, 'success') },
        { type: 'notifyParent', params: ({ event }) => ({ type: 'item.removed', item: event.item }) },
      ],
    },
  },
});
