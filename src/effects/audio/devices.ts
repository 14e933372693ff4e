import { fromCallback, type EventObject } from 'xstate';
import type { Device, DeviceListEvent, LevelMeterEvent } from '#machines/playground/microphone/actors.ts';
import { liveError } from '#machines/playground/live/errors.ts';
import { loudness } from './loudness.ts';
import { causeOf, microphoneConstraints } from './microphone.ts';

/** Waits for the end of a burst of changes: a headset is several devices. */
const SETTLED_MS = 200;
const METER_MS = 80;

/** The `deviceList` actor: reports the microphones, and when the user permits them. */
export const deviceList = fromCallback<EventObject, void>(({ sendBack }) => {
  // Missing in insecure contexts, against its type.
  if (!('mediaDevices' in navigator)) return undefined;
  const { mediaDevices } = navigator;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const list = () => {
    mediaDevices
      .enumerateDevices()
      .then((all) => {
        const devices = all.filter(
          ({ kind, deviceId }) =>
            kind === 'audioinput' && deviceId !== '' && deviceId !== 'default' && deviceId !== 'communications',
        );
        const event: DeviceListEvent = {
          type: 'devices.changed',
          devices: devices.map((device, index): Device => ({
            id: device.deviceId,
            label: device.label || `Microphone ${index + 1}`,
          })),
        };
        if (!isOver) sendBack(event);
      })
      // Without a list, the browser's default microphone is used.
      .catch(() => undefined);
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(list, SETTLED_MS);
  };
  const forget = watchPermission(() => {
    const event: DeviceListEvent = { type: 'permission.granted' };
    if (!isOver) sendBack(event);
    // With the permission the devices have names.
    changed();
  });
  list();
  mediaDevices.addEventListener('devicechange', changed);
  return () => {
    isOver = true;
    forget();
    clearTimeout(timer);
    mediaDevices.removeEventListener('devicechange', changed);
  };
});

/** Calls back whenever the user permits the microphone, if the browser reports that; returns the undo. */
function watchPermission(onGranted: () => void): () => void {
  // Missing in older browsers, against its type.
  if (!('permissions' in navigator)) return () => undefined;
  const ended = new AbortController();
  navigator.permissions.query({ name: 'microphone' as PermissionName }).then(
    (status) => {
      if (ended.signal.aborted) return;
      const look = () => {
        if (status.state === 'granted') onGranted();
      };
      status.addEventListener('change', look, { signal: ended.signal });
    },
    // Some browsers do not know this permission.
    () => undefined,
  );
  return () => ended.abort();
}

/** The `levelMeter` actor: reports how loud a microphone is, without recording. */
export const levelMeter = fromCallback<EventObject, { deviceId: string | null }>(({ input, sendBack }) => {
  let stream: MediaStream | undefined;
  let context: AudioContext | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let isOver = false;
  const say = (event: LevelMeterEvent) => {
    if (!isOver) sendBack(event);
  };
  const close = () => {
    clearInterval(timer);
    for (const track of stream?.getTracks() ?? []) track.stop();
    if (context && context.state !== 'closed') void context.close();
  };
  async function listen() {
    stream = await navigator.mediaDevices.getUserMedia(microphoneConstraints(input.deviceId));
    // The user may answer after the actor has stopped.
    if (isOver) return close();
    context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      say({ type: 'level.measured', level: loudness(samples) });
    }, METER_MS);
    return undefined;
  }
  listen().catch((error: unknown) => {
    say({ type: 'meter.refused', error: liveError('get_user_media_failed', causeOf(error, window.isSecureContext)) });
    close();
  });
  return () => {
    isOver = true;
    close();
  };
});
