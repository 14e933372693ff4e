import { fromCallback } from 'xstate';
import type { AudioSource, CaptureCommand } from '#machines/playground/stream/actors.ts';
import { openFileAudio } from './fileAudio.ts';
import { openMicrophone } from './microphone.ts';

/** The sound of a live session, from the microphone or from a file. */
export const capture = fromCallback<CaptureCommand, AudioSource>(({ input, sendBack, receive }) => {
  const opened =
    input.source === 'file'
      ? openFileAudio(input.file, input.fromMs, sendBack)
      : openMicrophone(input.deviceId, sendBack);
  receive(opened.command);
  return opened.close;
});

/**
 * Whether this browser can run a live session at all; else it says so instead of offering one (LIV-21). On a page that is not
 * secure Chromium keeps the node but takes the worklet away: then not even a file could be heard.
 */
export const isLiveSupported = (page: object = globalThis): boolean =>
  ['WebSocket', 'AudioContext', 'AudioWorklet', 'AudioWorkletNode'].every((name) => name in page);
