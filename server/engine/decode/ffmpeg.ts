import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { AudioFormat } from './audio-format.ts';
import { isLive, startFfmpeg, type Input } from './ffmpeg-run.ts';
import { decodeInThread, type Following } from './thread.ts';
import { EngineError } from '../port.ts';

/** Path of ffmpeg: FFMPEG_PATH, or the one on PATH, if there is one. */
export async function findFfmpeg(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => part !== '')
    .map((folder) => join(folder, name));
  for (const file of [env['FFMPEG_PATH'] ?? '', ...onPath].filter((part) => part !== '')) {
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
 * Decodes through ffmpeg as 16 kHz mono: all audio tracks of a file at their times, or the one with this number. Leaving the loop
 * early ends the process.
 * @param track what is left out of others it does not tell
 * @throws EngineError, 'invalid_audio' only where it gave nothing, its cause what ffmpeg wrote
 */
export async function* decodeWithFfmpeg(
  ffmpeg: string,
  input: Input,
  format: AudioFormat,
  { signal, onNotes }: Following = {},
  track: number | null = null,
): AsyncGenerator<Float32Array> {
  // A live stream may pause.
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
    // What a damaged file gave before its damage is kept.
    if (!isHeard && (!isWell || (failure !== undefined && !run.isEmpty()))) throw refusal;
  } finally {
    run.stop();
  }
}
