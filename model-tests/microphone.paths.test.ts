import { describe, expect, it } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import type { DeviceListEvent, LevelMeterEvent } from '#machines/playground/microphone/actors.ts';
import { liveError } from '#machines/playground/live/errors.ts';
import { microphoneMachine } from '#machines/playground/microphone/machine.ts';
import { describeWalk } from './walk.ts';
import { alone } from '../test/machines/appServices.ts';

const DEVICES = [
  { id: 'a', label: 'Built-in' },
  { id: 'b', label: 'Headset' },
];

describe('the microphone before a session', () => {
  describeWalk(microphoneMachine, {
    tags: { trying: ['trying'] },
    ignored: {
      'It is tried already': 'trial.requested in trying',
      'It is not tried': 'trial.dismissed in resting',
      'A device that is not there': 'device.selected at times in resting, trying',
      'Nothing is measured: the last words of a meter that has stopped': 'level.measured, meter.refused in resting',
    },
    input: { deviceId: null },
    cases: {
      'devices.changed': [{ devices: DEVICES }, { devices: [] }],
      'device.selected': [{ deviceId: 'b' }],
      'level.measured': [{ level: 0.5 }],
      'meter.refused': [{ error: liveError('get_user_media_failed') }],
    },
    distinguish: ({ context }) => [context.devices.length, context.deviceId],
  });

  /** A microphone whose devices, and whose meter, the test plays; `meter` is what was tried, and how it ended. */
  const open = () => {
    let tell: (event: DeviceListEvent) => void = () => undefined;
    let measure: (event: LevelMeterEvent) => void = () => undefined;
    const meter: string[] = [];
    const microphone = createActor(
      alone(microphoneMachine).provide({
        actors: {
          deviceList: fromCallback(({ sendBack }) => {
            tell = sendBack;
          }),
          levelMeter: fromCallback(({ input, sendBack }) => {
            meter.push(`tries ${input.deviceId}`);
            measure = sendBack;
            return () => void meter.push('ends');
          }),
        },
      }),
      { input: { deviceId: null } },
    ).start();
    return {
      microphone,
      meter,
      tell: (event: DeviceListEvent) => tell(event),
      measure: (event: LevelMeterEvent) => measure(event),
    };
  };

  it('CON-19: a refused trial is no news once the browser lets the page listen', () => {
    const { microphone, tell, measure } = open();
    microphone.send({ type: 'trial.requested' });
    measure({ type: 'meter.refused', error: liveError('get_user_media_failed') });
    expect(microphone.getSnapshot().context.error?.code).toBe('get_user_media_failed');
    tell({ type: 'permission.granted' });
    expect(microphone.getSnapshot().context.error).toBeNull();
  });

  it('only what is there can be chosen, and what vanishes is given up, trial and all', () => {
    const { microphone, meter, tell } = open();
    expect(microphone.getSnapshot().can({ type: 'device.selected', deviceId: 'b' })).toBe(false);
    tell({ type: 'devices.changed', devices: DEVICES });
    microphone.send({ type: 'trial.requested' });
    microphone.send({ type: 'device.selected', deviceId: 'b' });
    expect(meter).toEqual(['tries null', 'ends', 'tries b']);
    tell({ type: 'devices.changed', devices: DEVICES.slice(0, 1) });
    expect(meter.slice(3)).toEqual(['ends']);
    expect(microphone.getSnapshot().hasTag('trying')).toBe(false);
    expect(microphone.getSnapshot().context).toMatchObject({ deviceId: null, level: 0 });
  });
});
