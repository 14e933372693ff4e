import { raise } from 'xstate';
import { given, givenOutput } from '../../shared/given.ts';
import { plainRoute } from '../context.ts';
import { setupPlayground } from '../setup.ts';

/** The file to listen to and to transcribe. */
export const file = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      {
        guard: given('isOtherFile'),
        target: '.loading',
        actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.route.fileId ?? null }) },
      },
      { guard: given('leavesFile'), target: '.none', actions: { type: 'aimAtFile', params: { fileId: null } } },
    ],
    'transcription.updated': {
      guard: given('isFileOfOpened'),
      target: '.loading',
      actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.transcription.file_id }) },
    },
    'file.removed.requested': {
      guard: 'hasOpened',
      actions: { type: 'announce', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }) },
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
            guard: givenOutput('isWanted'),
            target: 'loaded',
            actions: [givenOutput('keepOpenedFile'), 'forgetWanted', raise({ type: 'transcribe.requested' })],
          },
          {
            guard: givenOutput('isNew'),
            target: 'loaded',
            actions: [givenOutput('keepOpenedFile'), givenOutput('listFile')],
          },
          { target: 'loaded', actions: givenOutput('keepOpenedFile') },
        ],
        onError: { target: 'failed', actions: given('keepFileFailure') },
      },
    },
    // What the browser can't play the server may still read: it knows more formats.
    judging: {
      tags: 'fileLoading',
      invoke: {
        id: 'judgeFile',
        src: 'judgeFile',
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
          on: { 'audio.failed': '#playground.ready.file.judging' },
        },
        unplayable: {
          tags: ['fileFailed', 'fileUnplayable'],
          on: { 'reload.requested': '#playground.ready.file.loading' },
        },
      },
    },
    unreadable: { tags: ['fileFailed', 'fileUnreadable'], on: { 'reload.requested': 'loading' } },
    failed: { tags: 'fileFailed', on: { 'reload.requested': { target: 'loading', actions: 'forgetFileFailure' } } },
  },
});
