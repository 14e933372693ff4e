import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { AudioFormat } from './audio-format.ts';
import { isLive, startFfmpeg, type Input } from './ffmpeg-run.ts';
import { decodeInThread, type RecordingOptions } from './thread.ts';
import { EngineError } from '../port.ts';

/** Finds ffmpeg: FFMPEG_PATH if it is set, else on PATH; undefined if there is none that may be executed. */
export async function findFfmpeg(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => part !== '')
    .map((folder) => join(folder, name));
  const given = env['FFMPEG_PATH']?.trim();
  for (const file of given ? [given] : onPath) {
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * Decodes through ffmpeg; yields 16 kHz mono. Leaving the loop early kills the process.
 * @param track the only audio track to decode, counted from 0; null for all. The notes do not count the other tracks
 * @throws EngineError, 'invalid_audio' only if there was no sound; its cause is ffmpeg's error output
 */
export async function* decodeWithFfmpeg(
  ffmpeg: string,
  input: Input,
  format: AudioFormat,
  { signal, onNotes }: RecordingOptions = {},
  track: number | null = null,
): AsyncGenerator<Float32Array> {
  // Only a live stream may pause.
  const run = startFfmpeg(ffmpeg, input, format, { signal, track, isWatched: !isLive(input) });
  let isHeard = false;
  let failure: unknown;
  try {
    try {
      for await (const piece of decodeInThread(run.output, 'matroska', { signal, onNotes, isLive: isLive(input) })) {
        isHeard = true;
        yield piece;
      }
    } catch (error) {
      failure = error;
      run.stop();
    }
    const { isWell, refusal } = await run.end();
    if (failure instanceof EngineError && failure.code !== 'invalid_audio') throw failure;
    // A damaged file keeps the sound before its damage.
    if (!isHeard && (!isWell || (failure !== undefined && !run.isEmpty()))) throw refusal;
  } finally {
    run.stop();
  }
}
