import { fromCallback } from 'xstate';
import type { AudioSource, CaptureCommand } from '#machines/playground/stream/actors.ts';
import { openFileAudio } from './fileAudio.ts';
import { openMicrophone } from './microphone.ts';

/** The `capture` actor: the sound of a live session, from the microphone or a file. */
export const capture = fromCallback<CaptureCommand, AudioSource>(({ input, sendBack, receive }) => {
  const opened =
    input.source === 'file'
      ? openFileAudio(input.file, input.fromMs, sendBack)
      : openMicrophone(input.deviceId, sendBack);
  receive(opened.command);
  return opened.close;
});

/**
 * Whether this browser can run a live session, else the console says so (LIV-21). Insecure pages in Chromium have
 * `AudioWorkletNode` without `AudioWorklet`, so not even a file can be captured.
 */
export const isLiveSupported = (page: object = globalThis): boolean =>
  ['WebSocket', 'AudioContext', 'AudioWorklet', 'AudioWorkletNode'].every((name) => name in page);
