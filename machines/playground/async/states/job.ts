import { withEvent } from '../../../shared/withEvent.ts';
import { opening } from '../../address.ts';
import { setupAsync } from '../setup.ts';

/** Forbids what the region would do: one is on its way. */
const IS_UNDER_WAY = {};

const notifyUseChanged = { type: 'notifyParent', params: { type: 'use.changed' } } as const;

/** What a look at the transcription on show tells. */
const {
  on: { 'transcription.updated': looked },
} = setupAsync.createStateConfig({
  on: {
    'transcription.updated': [
      {
        guard: withEvent('isRunning'),
        target: '#async.job.active.opened.running',
        actions: withEvent('updateListed'),
      },
      { target: '#async.job.active.opened.ended', actions: withEvent('updateListed') },
    ],
  },
});

/**
 * The transcription on show. The child lives as long as `active`: one that is being created survives the navigation to
 * its own id, since the route then says what `job` already is.
 */
export const job = setupAsync.createStateConfig({
  initial: 'deciding',
  // From here, so that `active` is left and entered again: another transcription is another child.
  on: {
    'transcribe.requested': { guard: 'canTranscribe', target: '.active.creating', actions: 'createJob' },
    'request.repeated': {
      guard: withEvent('canRepeat'),
      target: '.active.creating',
      actions: withEvent('repeatJob'),
    },
    'route.changed': [
      {
        guard: withEvent('isOtherJob'),
        target: '.active.opened',
        actions: { type: 'openJob', params: ({ event }) => ({ id: event.route.transcriptionId ?? '' }) },
      },
      { guard: withEvent('leavesJob'), target: '.none', actions: 'clearJob' },
    ],
    'file.uploaded': { target: '.none', actions: 'clearJob' },
    'sample.added': { guard: 'isShown', target: '.none', actions: 'clearJob' },
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
      on: {
        'transcriptions.read': { guard: withEvent('holdsOpened'), actions: withEvent('updateJob') },
      },
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
            'transcribe.requested': IS_UNDER_WAY,
            'request.repeated': IS_UNDER_WAY,
            'transcription.created': {
              target: 'opened.running',
              actions: [
                { type: 'openJob', params: ({ event }) => ({ id: event.transcription.id }) },
                withEvent('listTranscription'),
                'showHistory',
                {
                  type: 'sendToApp',
                  params: ({ context, event }) => opening(context, { transcriptionId: event.transcription.id }),
                },
              ],
            },
            'transcription.refused': [
              { guard: withEvent('isForMoney'), target: 'refused.forMoney', actions: notifyUseChanged },
              { target: 'refused', actions: notifyUseChanged },
            ],
          },
        },
        // What was refused is not asked for any more.
        refused: {
          tags: 'refused',
          on: { 'request.changed': { target: '#async.job.none', actions: 'clearJob' } },
          initial: 'forItself',
          states: {
            forItself: {},
            forMoney: {
              on: {
                'balance.read': { guard: withEvent('hasMoneyAgain'), target: '#async.job.none', actions: 'clearJob' },
              },
            },
          },
        },
        opened: {
          initial: 'unknown',
          on: {
            'transcription.updated': looked,
            'transcription.unreachable': 'unreachable',
          },
          states: {
            unknown: {},
            // Its file is not transcribed a second time meanwhile (CON-29).
            running: {
              tags: 'transcribing',
              on: { 'transcribe.requested': IS_UNDER_WAY, 'request.repeated': IS_UNDER_WAY },
            },
            ended: {},
          },
        },
        // May come back by itself: the child can be asked to try again.
        unreachable: { on: { 'transcription.updated': looked } },
      },
    },
  },
});
