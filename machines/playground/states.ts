import { raise } from 'xstate';
import { plainRoute, removalToast, setupPlayground } from './setup.ts';

/** Which tab the URL shows. A live session that loses its tab is stopped, not lost. */
export const mode = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'mode.selected': {
      guard: { type: 'differs', params: ({ event }) => event },
      actions: { type: 'tell', params: ({ context, event }) => ({ type: 'navigate.requested', to: { ...context.route, mode: event.mode }, replace: true }) },
    },
    'route.changed': [
      {
        guard: { type: 'isRealTime', params: ({ event }) => event.route },
        target: '.realTime',
        actions: [{ type: 'adoptRoute', params: ({ event }) => event }, { type: 'restoreDisplay', params: ({ event }) => event }, 'forgetRefusedSaving'],
      },
      {
        target: '.async',
        actions: [{ type: 'adoptRoute', params: ({ event }) => event }, { type: 'restoreDisplay', params: ({ event }) => event }, 'forgetRefusedSaving', 'stopLive'],
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
        actions: { type: 'tell', params: ({ context, event }) => ({ type: 'navigate.requested', to: { ...context.route, panel: event.panel }, replace: true }) },
      },
      {
        guard: 'hasNothing',
        target: '.settings',
        actions: { type: 'tell', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context), replace: true }) },
      },
      {
        target: '.settings',
        actions: { type: 'tell', params: ({ context, event }) => ({ type: 'navigate.requested', to: { ...context.route, panel: event.panel }, replace: true }) },
      },
    ],
    'history.shown': '.history',
    'route.changed': [
      { guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'history' }) }, target: '.history' },
      { guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'settings' }) }, target: '.settings' },
      { guard: { type: 'opensTranscription', params: ({ event }) => event }, target: '.history' },
      { guard: { type: 'opensElse', params: ({ event }) => event }, target: '.settings' },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'asksForHistory', target: 'history' }, { target: 'settings' }] },
    settings: {},
    history: {},
  },
});

/** The file to listen to and to transcribe. */
export const file = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      {
        guard: { type: 'isOtherFile', params: ({ event }) => event },
        target: '.loading',
        actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.route.fileId ?? null }) },
      },
      { guard: { type: 'leavesFile', params: ({ event }) => event }, target: '.none', actions: { type: 'aimAtFile', params: { fileId: null } } },
    ],
    'transcription.updated': {
      guard: { type: 'isFileOfOpened', params: ({ event }) => event },
      target: '.loading',
      actions: { type: 'aimAtFile', params: ({ event }) => ({ fileId: event.transcription.file_id }) },
    },
    'file.removed.requested': {
      guard: 'hasOpened',
      actions: { type: 'tell', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }) },
    },
  },
  states: {
    deciding: {
      always: [
        { guard: 'hasFileInRoute', target: 'loading', actions: { type: 'aimAtFile', params: ({ context }) => ({ fileId: context.route.fileId ?? null }) } },
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
            guard: { type: 'isNew', params: ({ event }) => event.output },
            target: 'loaded',
            actions: [{ type: 'keepOpenedFile', params: ({ event }) => event.output }, { type: 'listFile', params: ({ event }) => event.output }],
          },
          { target: 'loaded', actions: { type: 'keepOpenedFile', params: ({ event }) => event.output } },
        ],
        onError: { target: 'failed', actions: { type: 'keepFileFailure', params: ({ event }) => event } },
      },
    },
    // What the browser can't play the server may still read.
    loaded: {
      initial: 'playable',
      states: {
        playable: {
          invoke: {
            id: 'player',
            src: 'player',
            input: ({ context }) => ({ url: context.file?.url ?? '' }),
            onError: 'unplayable',
          },
          on: { 'audio.failed': 'unplayable' },
        },
        unplayable: { tags: 'fileFailed', on: { 'reload.requested': '#playground.ready.file.loading' } },
      },
    },
    failed: { tags: 'fileFailed', on: { 'reload.requested': { target: 'loading', actions: 'forgetFileFailure' } } },
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
        guard: { type: 'isOtherJob', params: ({ event }) => event },
        target: '.active.opened',
        actions: { type: 'openJob', params: ({ event }) => ({ id: event.route.transcriptionId ?? '' }) },
      },
      { guard: { type: 'leavesJob', params: ({ event }) => event }, target: '.none', actions: 'forgetJob' },
    ],
  },
  states: {
    deciding: {
      always: [
        { guard: 'opensByRoute', target: 'active.opened', actions: { type: 'openJob', params: ({ context }) => ({ id: context.route.transcriptionId ?? '' }) } },
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
        onError: '.lost',
      },
      initial: 'opened',
      states: {
        creating: {
          tags: 'creating',
          on: {
            'transcription.created': {
              target: 'opened',
              actions: [
                { type: 'keepOpenedId', params: ({ event }) => event },
                { type: 'listTranscription', params: ({ event }) => event },
                'showHistory',
                {
                  type: 'tell',
                  params: ({ context, event }) => ({ type: 'navigate.requested', to: { ...plainRoute(context), transcriptionId: event.transcription.id } }),
                },
              ],
            },
            'transcription.refused': 'refused',
          },
        },
        // What was refused is not asked for any more.
        refused: { tags: 'refused', on: { 'request.changed': { target: '#playground.ready.job.none', actions: 'forgetJob' } } },
        opened: {
          on: {
            'transcription.updated': { actions: { type: 'updateListed', params: ({ event }) => event } },
            'transcription.lost': 'lost',
          },
        },
        // May come back by itself: the child can be asked to try again.
        lost: { on: { 'transcription.updated': { target: 'opened', actions: { type: 'updateListed', params: ({ event }) => event } } } },
      },
    },
  },
});

/** Removal: the row goes at once, and comes back if the server refuses. */
export const removals = setupPlayground.createStateConfig({
  on: {
    'removal.started': { actions: { type: 'takeFromList', params: ({ event }) => event } },
    'removal.failed': {
      actions: [{ type: 'putBackInList', params: ({ event }) => event }, { type: 'tell', params: ({ event }) => removalToast(event.item, 'error', event.failure) }],
    },
    'removal.halted': { actions: { type: 'putBackInList', params: ({ event }) => event } },
    'removal.succeeded': [
      {
        guard: { type: 'isOpen', params: ({ event }) => event },
        actions: [
          { type: 'tell', params: ({ event }) => removalToast(event.item, 'success') },
          { type: 'tell', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }) },
        ],
      },
      { actions: { type: 'tell', params: ({ event }) => removalToast(event.item, 'success') } },
    ],
  },
});

/** What other tabs and programs do in the project reaches the lists. */
export const followed = setupPlayground.createStateConfig({
  on: {
    'push.received': { guard: { type: 'isForLists', params: ({ event }) => event }, actions: { type: 'follow', params: ({ event }) => event } },
    'listed.read': { actions: { type: 'listRead', params: ({ event }) => event } },
    'listed.gone': { actions: { type: 'listGone', params: ({ event }) => event } },
    'lists.read': { actions: [{ type: 'renewFiles', params: ({ event }) => event }, { type: 'renewTranscriptions', params: ({ event }) => event }] },
  },
});

const changeTranslation = setupPlayground.createStateConfig({
  on: {
    'translation.toggled': {
      guard: { type: 'isAllowed', params: ({ event }) => event },
      actions: [{ type: 'changeTranslation', params: ({ event }) => event }, raise({ type: 'request.changed' })],
    },
    'targetLanguage.selected': {
      guard: { type: 'isAllowed', params: ({ event }) => event },
      actions: [{ type: 'changeTranslation', params: ({ event }) => event }, raise({ type: 'request.changed' })],
    },
    'languageA.selected': {
      guard: { type: 'isAllowed', params: ({ event }) => event },
      actions: [{ type: 'changeTranslation', params: ({ event }) => event }, raise({ type: 'request.changed' })],
    },
    'languageB.selected': {
      guard: { type: 'isAllowed', params: ({ event }) => event },
      actions: [{ type: 'changeTranslation', params: ({ event }) => event }, raise({ type: 'request.changed' })],
    },
  },
});

/** What the async settings panel edits. */
export const settings = setupPlayground.createStateConfig({
  on: {
    ...changeTranslation.on,
    'settings.changed': { actions: [{ type: 'patchSettings', params: ({ event }) => event }, raise({ type: 'request.changed' })] },
    'model.selected': {
      guard: { type: 'isOffered', params: ({ event }) => event },
      actions: [{ type: 'selectModel', params: ({ event }) => event }, raise({ type: 'request.changed' })],
    },
  },
});
