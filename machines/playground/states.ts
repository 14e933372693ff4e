import { raise } from 'xstate';
import { plainRoute, removalToast, setupPlayground } from './setup.ts';
import { given, givenOutput } from '../shared/given.ts';

/** Which tab the URL shows. A live session that loses its tab is stopped, not lost. */
export const mode = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'mode.selected': {
      guard: given('differs'),
      actions: {
        type: 'announce',
        params: ({ context, event }) => ({
          type: 'navigate.requested',
          to: { ...context.route, mode: event.mode },
          replace: true,
        }),
      },
    },
    'route.changed': [
      {
        guard: { type: 'isRealTime', params: ({ event }) => event.route },
        target: '.realTime',
        actions: [given('adoptRoute'), given('restoreDisplay'), 'forgetRefusedSaving'],
      },
      {
        target: '.async',
        actions: [given('adoptRoute'), given('restoreDisplay'), 'forgetRefusedSaving', 'stopLive'],
      },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'isRealTimeFirst', target: 'realTime' }, { target: 'async' }] },
    async: { tags: 'async' },
    realTime: { tags: 'realTime' },
  },
});

/**
 * Which half of the accordion is open. ASY-06: opening Settings with nothing to set anything for leads to the plain address.
 * It happens here, on the user's event; an odd address on load is the router's own business, since charts never answer
 * a `route.changed` with a navigation.
 */
export const panel = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'panel.selected': [
      {
        guard: ({ event }) => event.panel === 'history',
        target: '.history',
        actions: {
          type: 'announce',
          params: ({ context, event }) => ({
            type: 'navigate.requested',
            to: { ...context.route, panel: event.panel },
            replace: true,
          }),
        },
      },
      {
        guard: 'hasNothing',
        target: '.settings',
        actions: {
          type: 'announce',
          params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context), replace: true }),
        },
      },
      {
        target: '.settings',
        actions: {
          type: 'announce',
          params: ({ context, event }) => ({
            type: 'navigate.requested',
            to: { ...context.route, panel: event.panel },
            replace: true,
          }),
        },
      },
    ],
    'history.shown': '.history',
    'route.changed': [
      { guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'history' }) }, target: '.history' },
      { guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'settings' }) }, target: '.settings' },
      { guard: given('opensTranscription'), target: '.history' },
      { guard: given('opensElse'), target: '.settings' },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'asksForHistory', target: 'history' }, { target: 'settings' }] },
    settings: {},
    history: { tags: 'history' },
  },
});

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

/** What a look at the transcription on show tells. */
const {
  on: { 'transcription.updated': looked },
} = setupPlayground.createStateConfig({
  on: {
    'transcription.updated': [
      {
        guard: given('isRunning'),
        target: '#playground.ready.job.active.opened.running',
        actions: given('updateListed'),
      },
      { target: '#playground.ready.job.active.opened.ended', actions: given('updateListed') },
    ],
  },
});

/**
 * The transcription on show. The child lives as long as `active`: one that is being created survives the navigation to
 * its own id, since the route then says what `openedId` already is.
 */
export const job = setupPlayground.createStateConfig({
  initial: 'deciding',
  // From here, so that `active` is left and entered again: another transcription is another child.
  on: {
    'transcribe.requested': { guard: 'canTranscribe', target: '.active.creating', actions: 'createJob' },
    'route.changed': [
      {
        guard: given('isOtherJob'),
        target: '.active.opened',
        actions: { type: 'openJob', params: ({ event }) => ({ id: event.route.transcriptionId ?? '' }) },
      },
      { guard: given('leavesJob'), target: '.none', actions: 'forgetJob' },
    ],
  },
  states: {
    deciding: {
      always: [
        {
          guard: 'opensByRoute',
          target: 'active.opened',
          actions: { type: 'openJob', params: ({ context }) => ({ id: context.route.transcriptionId ?? '' }) },
        },
        { target: 'none' },
      ],
    },
    none: {},
    active: {
      invoke: {
        id: 'transcription',
        src: 'transcription',
        input: ({ context }) => {
          if (!context.job) throw new Error('No transcription to open.');
          return context.job;
        },
      },
      initial: 'opened',
      states: {
        creating: {
          tags: 'creating',
          on: {
            'transcription.created': {
              target: 'opened.running',
              actions: [
                given('keepOpenedId'),
                given('listTranscription'),
                'showHistory',
                {
                  type: 'announce',
                  params: ({ context, event }) => ({
                    type: 'navigate.requested',
                    to: { ...plainRoute(context), transcriptionId: event.transcription.id },
                  }),
                },
              ],
            },
            'transcription.refused': 'refused',
          },
        },
        // What was refused is not asked for any more.
        refused: {
          tags: 'refused',
          on: { 'request.changed': { target: '#playground.ready.job.none', actions: 'forgetJob' } },
        },
        opened: {
          initial: 'unknown',
          on: {
            'transcription.updated': looked,
            'transcription.lost': 'lost',
          },
          states: {
            unknown: {},
            // Its file is not transcribed a second time meanwhile (CON-29).
            running: { tags: 'transcribing' },
            ended: {},
          },
        },
        // May come back by itself: the child can be asked to try again.
        lost: { on: { 'transcription.updated': looked } },
      },
    },
  },
});

/** Removal: the row goes at once, and comes back if the server refuses. */
export const removals = setupPlayground.createStateConfig({
  on: {
    'removal.started': { actions: given('takeFromList') },
    'removal.failed': {
      actions: [
        given('putBackInList'),
        { type: 'announce', params: ({ event }) => removalToast(event.item, 'error', event.failure) },
      ],
    },
    'removal.halted': { actions: given('putBackInList') },
    'removal.succeeded': [
      {
        guard: given('isOpen'),
        actions: [
          { type: 'announce', params: ({ event }) => removalToast(event.item, 'success') },
          { type: 'announce', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }) },
        ],
      },
      { actions: { type: 'announce', params: ({ event }) => removalToast(event.item, 'success') } },
    ],
  },
});

/** What other tabs and programs do in the project reaches the lists. */
export const followed = setupPlayground.createStateConfig({
  on: {
    'push.received': { guard: given('isForLists'), actions: given('follow') },
    'listed.read': { actions: given('listRead') },
    'listed.gone': { actions: given('listGone') },
    'lists.read': { actions: [given('renewFiles'), given('renewTranscriptions')] },
  },
});

const changeTranslation = setupPlayground.createStateConfig({
  on: {
    'translation.toggled': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'targetLanguage.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageA.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageB.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
  },
});

/** What the async settings panel edits. */
export const settings = setupPlayground.createStateConfig({
  on: {
    ...changeTranslation.on,
    'settings.changed': { actions: [given('patchSettings'), raise({ type: 'request.changed' })] },
    'model.selected': {
      guard: given('isOffered'),
      actions: [given('selectModel'), raise({ type: 'request.changed' })],
    },
  },
});
