// Models the microphone before a session: which one is chosen, and its level during a trial.
// Owned by `live`. A session ends the trial, so that only one of them holds the device.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { toFailure } from '../../shared/failure.ts';
import { liveError, type LiveError } from '../live/errors.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { deviceList, levelMeter, type Device, type DeviceListEvent, type LevelMeterEvent } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { hold } from '../../shared/holding.ts';

type MicrophoneContext = {
  devices: readonly Device[];
  /** Null for the browser's choice. */
  deviceId: string | null;
  level: number;
  /** Why the last trial ended. */
  error: LiveError | null;
};

/** `device.changed`: the user chose another, or the chosen one is gone. */
export type MicrophoneNotice = { type: 'device.changed'; deviceId: string | null } | { type: 'permission.granted' };

export const microphoneMachine = setup({
  types: {} as {
    context: MicrophoneContext;
    input: { deviceId: string | null };
    events:
      | DeviceListEvent
      | LevelMeterEvent
      | { type: 'device.selected'; deviceId: string | null }
      | { type: 'trial.requested' }
      | { type: 'trial.dismissed' }
      | { type: 'session.began' };
    tags: 'trying';
  },
  actors: { deviceList, levelMeter },
  guards: {
    isKnown: ({ context }, { deviceId }: { deviceId: string | null }) =>
      deviceId === null || context.devices.some(({ id }) => id === deviceId),
    losesChosen: ({ context }, { devices }: { devices: readonly Device[] }) =>
      context.deviceId !== null && !devices.some(({ id }) => id === context.deviceId),
  },
  actions: {
    hold,
    setDevices: assign((_, { devices }: { devices: readonly Device[] }) => ({ devices })),
    choose: assign((_, { deviceId }: { deviceId: string | null }) => ({ deviceId, error: null })),
    notifyParent: notifyParent<MicrophoneNotice>(),
    setLevel: assign((_, { level }: { level: number }) => ({ level })),
    setError: assign((_, { error }: { error: LiveError }) => ({ error })),
    clearTrial: assign({ level: 0, error: null }),
    clearError: assign({ error: null }),
    silence: assign({ level: 0 }),
  },
}).createMachine({
  id: 'microphone',
  context: ({ input }) => ({ devices: [], deviceId: input.deviceId, level: 0, error: null }),
  entry: 'hold',
  invoke: { id: 'deviceList', src: 'deviceList' },
  initial: 'resting',
  on: {
    // An earlier refusal no longer counts.
    'permission.granted': { actions: ['clearError', { type: 'notifyParent', params: { type: 'permission.granted' } }] },
    'devices.changed': [
      // The chosen device is gone. End the trial: it must not listen to another device unasked.
      {
        guard: withEvent('losesChosen'),
        target: '.resting',
        actions: [
          withEvent('setDevices'),
          { type: 'choose', params: { deviceId: null } },
          { type: 'notifyParent', params: { type: 'device.changed', deviceId: null } },
        ],
      },
      { actions: withEvent('setDevices') },
    ],
  },
  states: {
    resting: {
      on: {
        'trial.requested': { target: 'trying', actions: 'clearTrial' },
        // The result of the trial no longer matters.
        'session.began': { actions: 'clearTrial' },
        'device.selected': {
          guard: withEvent('isKnown'),
          actions: [
            withEvent('choose'),
            { type: 'notifyParent', params: ({ event }) => ({ type: 'device.changed', deviceId: event.deviceId }) },
          ],
        },
      },
    },
    trying: {
      tags: 'trying',
      exit: 'silence',
      invoke: {
        id: 'levelMeter',
        src: 'levelMeter',
        input: ({ context }) => ({ deviceId: context.deviceId }),
        onError: {
          target: 'resting',
          actions: {
            type: 'setError',
            params: ({ event }) => ({ error: liveError('get_user_media_failed', toFailure(event.error).message) }),
          },
        },
      },
      on: {
        'level.measured': { actions: withEvent('setLevel') },
        'meter.refused': { target: 'resting', actions: withEvent('setError') },
        'trial.dismissed': 'resting',
        'session.began': 'resting',
        'device.selected': {
          guard: withEvent('isKnown'),
          target: 'trying',
          reenter: true,
          actions: [
            withEvent('choose'),
            { type: 'notifyParent', params: ({ event }) => ({ type: 'device.changed', deviceId: event.deviceId }) },
          ],
        },
      },
    },
  },
});

export type MicrophoneActor = ActorRefFrom<typeof microphoneMachine>;
