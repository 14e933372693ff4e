import { raise } from 'xstate';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { plainRoute } from '../context.ts';
import { setupPlayground } from '../setup.ts';

/** The file to listen to and to transcribe. */
export const file = setupPlayground.createStateConfig({
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
    'file.removed.requested': {
      guard: 'hasOpened',
      actions: {
        type: 'sendToApp',
        params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }),
      },
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
        input: ({ context }) => ({ fileId: context.fileId ?? '' }),
        onDone: [
          {
            guard: withOutput('isWanted'),
            target: 'loaded',
            actions: [withOutput('setOpenedFile'), 'clearWanted', raise({ type: 'transcribe.requested' })],
          },
          {
            guard: withOutput('isNew'),
            target: 'loaded',
            actions: [withOutput('setOpenedFile'), withOutput('listFile')],
          },
          { target: 'loaded', actions: withOutput('setOpenedFile') },
        ],
        onError: { target: 'failed', actions: withEvent('setFileFailure') },
      },
    },
    // What the browser can't play the server may still read: it knows more formats.
    probing: {
      tags: 'fileLoading',
      invoke: {
        id: 'probeRecording',
        src: 'probeRecording',
        input: ({ context }) => ({ url: context.file?.url ?? '' }),
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
            input: ({ context }) => ({ url: context.file?.url ?? '' }),
          },
          on: { 'audio.failed': '#playground.ready.file.probing' },
        },
        unplayable: {
          tags: ['fileFailed', 'fileUnplayable'],
          on: { 'reload.requested': '#playground.ready.file.loading' },
        },
      },
    },
    unreadable: { tags: ['fileFailed', 'fileUnreadable'], on: { 'reload.requested': 'loading' } },
    failed: { tags: 'fileFailed', on: { 'reload.requested': { target: 'loading', actions: 'clearFileFailure' } } },
  },
});
