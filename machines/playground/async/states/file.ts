import { and, raise, stateIn } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { opening } from '../../address.ts';
import type { AsyncContext } from '../context.ts';
import { setupAsync } from '../setup.ts';

const openStored = {
  type: 'sendToApp',
  params: ({ context, event }: { context: AsyncContext; event: { file: StoredFile } }) =>
    opening(context, { fileId: event.file.id }),
} as const;

/** The file to listen to and to transcribe. */
export const file = setupAsync.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      {
        guard: withEvent('isOtherFile'),
        target: '.loading',
        actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.route.fileId ?? null }) },
      },
      { guard: withEvent('leavesFile'), target: '.none', actions: { type: 'aimAtFile', params: { fileId: null } } },
    ],
    'transcription.updated': {
      guard: withEvent('isFileOfOpened'),
      target: '.loading',
      actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.transcription.file_id }) },
    },
    // Known by what the server answered: shown at once, and the address follows.
    'file.uploaded': [
      {
        guard: withEvent('replaces'),
        target: '.loading.thenRepeating',
        actions: [withEvent('setLike'), withEvent('aimAtStored'), withEvent('listFile'), openStored],
      },
      { target: '.loading', actions: [withEvent('aimAtStored'), withEvent('listFile'), openStored] },
    ],
    'sample.added': [
      {
        guard: 'isShown',
        target: '.loading.thenTranscribing',
        actions: [withEvent('setSample'), withEvent('aimAtStored'), withEvent('listFile'), openStored],
      },
      // Whoever has gone to the other tab is not fetched back, and pays for nothing that they do not see.
      { actions: withEvent('listFile') },
    ],
    'file.removed.requested': {
      guard: 'hasOpened',
      actions: { type: 'sendToApp', params: ({ context }) => opening(context) },
    },
  },
  states: {
    deciding: {
      always: [
        {
          guard: 'hasFileInRoute',
          target: 'loading',
          actions: { type: 'aimAtFile', params: ({ context }) => ({ fileId: context.route.fileId ?? null }) },
        },
        { target: 'none' },
      ],
    },
    none: {},
    loading: {
      tags: 'fileLoading',
      invoke: {
        id: 'readFile',
        src: 'readFile',
        input: ({ context: { fileId, file } }) => ({ fileId: fileId ?? '', file }),
        onDone: [
          {
            guard: stateIn({ file: { loading: 'thenTranscribing' } }),
            target: 'loaded',
            actions: [withOutput('setOpenedFile'), raise({ type: 'transcribe.requested' })],
          },
          {
            guard: and([stateIn({ file: { loading: 'thenRepeating' } }), 'canRepeatLike']),
            target: 'loaded',
            actions: [withOutput('setOpenedFile'), 'repeatLike'],
          },
          // The balance ran out during the upload: only the settings are kept, and a toast says so.
          {
            guard: stateIn({ file: { loading: 'thenRepeating' } }),
            target: 'loaded',
            actions: [withOutput('setOpenedFile'), 'reuseLike'],
          },
          { target: 'loaded', actions: withOutput('setOpenedFile') },
        ],
        onError: { target: 'failed', actions: withEvent('setFileFailure') },
      },
      initial: 'thenWaiting',
      states: { thenWaiting: {}, thenTranscribing: {}, thenRepeating: {}, asBefore: { type: 'history' } },
    },
    // What the browser can't play the server may still read: it knows more formats.
    probing: {
      tags: 'fileLoading',
      invoke: {
        id: 'probeRecording',
        src: 'probeRecording',
        input: ({ context }) => ({ url: context.url ?? '' }),
        onDone: [{ guard: ({ event }) => event.output, target: 'loaded.unplayable' }, { target: 'unreadable' }],
        // Nothing is known against it: the server says what is wrong, if anything is.
        onError: 'loaded.unplayable',
      },
    },
    loaded: {
      initial: 'playable',
      states: {
        playable: {
          tags: 'filePlayable',
          invoke: {
            id: 'player',
            src: 'player',
            input: ({ context }) => ({ url: context.url ?? '' }),
          },
          on: { 'audio.failed': '#async.file.probing' },
        },
        unplayable: {
          tags: ['fileFailed', 'fileUnplayable'],
          on: { 'reload.requested': '#async.file.loading' },
        },
      },
    },
    unreadable: { tags: ['fileFailed', 'fileUnreadable'], on: { 'reload.requested': 'loading' } },
    failed: {
      tags: 'fileFailed',
      on: { 'reload.requested': { target: 'loading.asBefore', actions: 'clearFileFailure' } },
    },
  },
});
