import { fromCallback, type EventObject } from 'xstate';
import type { Device, DeviceListEvent, LevelMeterEvent } from '#machines/playground/microphone/actors.ts';
import { loudness } from '#machines/playground/stream/loudness.ts';
import { liveError } from '#machines/playground/live/errors.ts';
import { causeOf, microphoneConstraints } from './microphone.ts';

/** Devices come and go in bursts: a headset is several. */
const SETTLED_MS = 200;
const METER_MS = 80;

/** Watches the microphones that the browser tells of. */
export const deviceList = fromCallback<EventObject, void>(({ sendBack }) => {
  // Absent in insecure contexts, whatever the types say.
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
      // What can't be listed can't be chosen; the browser's own choice remains.
      .catch(() => undefined);
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(list, SETTLED_MS);
  };
  const forget = watchPermission(() => {
    const event: DeviceListEvent = { type: 'permission.granted' };
    if (!isOver) sendBack(event);
    // Now they have names.
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

/** Calls back whenever the browser begins to let the page listen, until its result is called. Browsers that do not tell are not asked again. */
function watchPermission(onGranted: () => void): () => void {
  // Absent in older browsers, whatever the types say.
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
    // Some browsers know no such permission: there the next run tells.
    () => undefined,
  );
  return () => ended.abort();
}

/** Tells how loud a microphone is, without recording. */
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
    // The answer may come after the question was taken back.
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
