/**
 * Does the server stay as large as it is? An hour of recording, a thousand short streams, and clients that never read,
 * one after the other; each must leave the memory of its process where it was, and so must all of them together.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { StoredFile, UPLOAD_FIELD } from '#contract/files.ts';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { clip } from '#test/audio/clips.ts';
import { words } from '#test/audio/wer.ts';
import { speakDeaf, speakOnce } from './live-client.ts';
import { type Curve, openSockets, watchMemory } from './memory.ts';
import { longMp3 } from './mp3.ts';
import { type Row, atLeast, atMost, figure } from './row.ts';
import { type Service, withService } from './service.ts';
import { scaled, settling } from './settings.ts';

const MODEL = 'parlance-async-1';
const RECORDING_SECONDS = 3600;
const SESSIONS = 1000;
/** At the same time; fewer than even a slow runtime admits. */
const TOGETHER = 4;
const DEAF_CLIENTS = 20;
const DEAF_MS = 180_000;
const WARM_UP_DEAF_MS = 20_000;
/** Each part should be over by then, and is given up at twice the time. */
const PART_MS = 360_000;
const PART_MAX_MS = 2 * PART_MS;
/** MiB over the level before a part, and in the end off the level after the warm-up. */
const GROWTH_BUDGET = 100;
/** The server gives clients that do not answer half a minute to close, and a stream a minute to finish. */
const LEAVE_MS = 100_000;
/** How long a deaf client that has said all waits to be thrown out. */
const PATIENCE_MS = 45_000;
/** A second and a half: what is measured is the coming and going. */
const SHORT_SECONDS = 1.5;

/** Uploads a recording, has it transcribed, and removes both. @returns how many words were heard */
async function transcribe(
  service: Service,
  seconds: number,
): Promise<{ heard: number; said: number; durationSeconds: number; recordingSeconds: number }> {
  const recording = longMp3(seconds);
  const form = new FormData();
  form.append(UPLOAD_FIELD, new Blob([recording.bytes]), 'long.mp3');
  const stored = await fetch(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: await service.authorization() },
    body: form,
  });
  const file = v.parse(StoredFile, await stored.json());
  const { id } = v.parse(
    Transcription,
    await (await service.speech('POST', '/transcriptions', { model: MODEL, file_id: file.id })).json(),
  );
  const deadline = performance.now() + PART_MAX_MS;
  for (;;) {
    const {
      status,
      error_message: message,
      audio_duration_ms: duration,
    } = v.parse(Transcription, await (await service.speech('GET', `/transcriptions/${id}`)).json());
    if (status === 'completed') {
      const { text } = v.parse(
        Transcript,
        await (await service.speech('GET', `/transcriptions/${id}/transcript`)).json(),
      );
      await service.speech('DELETE', `/transcriptions/${id}`);
      await service.speech('DELETE', `/files/${file.id}`);
      return {
        heard: words(text).length,
        said: words(clip('short.wav').text).length * recording.times,
        durationSeconds: (duration ?? 0) / 1000,
        recordingSeconds: recording.seconds,
      };
    }
    if (status === 'error' || performance.now() > deadline)
      throw new Error(`The recording is ${status}: ${message ?? 'it takes too long'}`);
    await sleep(1000);
  }
}

/** @returns how many of the streams ended in good order with words in them; the first reason why one did not */
async function shortSessions(
  service: Service,
  keys: readonly string[],
  count: number,
): Promise<{ good: number; failure: string | undefined }> {
  const whole = clip('short.wav');
  const speech = { ...whole, pcm: whole.pcm.subarray(0, whole.sampleRate * SHORT_SECONDS * 2) };
  const deadline = performance.now() + PART_MAX_MS;
  let started = 0;
  let good = 0;
  let failure: string | undefined;
  const lane = async (): Promise<void> => {
    while (started < count && performance.now() < deadline) {
      const key = keys[started % keys.length] ?? '';
      started += 1;
      try {
        if (words(await speakOnce(service.url, key, speech)).length > 0) good += 1;
      } catch (error) {
        failure ??= String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
  return { good, failure };
}

/** @returns connections made altogether */
async function deafClients(service: Service, keys: readonly string[], ms: number): Promise<number> {
  const at = performance.now() + ms;
  const made = await Promise.all(
    Array.from({ length: DEAF_CLIENTS }, (_, index) =>
      speakDeaf(service.url, keys[index % keys.length] ?? '', clip('weather-report.wav'), {
        at,
        politely: index % 2 === 0,
        patienceMs: settling(PATIENCE_MS),
      }),
    ),
  );
  return made.reduce((sum, connections) => sum + connections, 0);
}

/** Waits until the server holds no more sockets than before, or long enough. @returns how many more it holds */
async function socketsLeft(pid: number, before: number | undefined): Promise<number> {
  const deadline = performance.now() + settling(LEAVE_MS);
  for (;;) {
    const left = Math.max(0, (openSockets(pid) ?? 0) - (before ?? 0));
    if (left === 0 || performance.now() > deadline) return left;
    await sleep(500);
  }
}

/** MiB, of a server that has nothing to do. */
const restingMemory = (pid: number): Promise<number> =>
  watchMemory(pid, () => sleep(settling(8000))).then(({ curve }) => curve.median);

const curveRows = (part: string, { min, max, slope }: Curve, level: number, warmUp: number): Row[] => [
  figure(`${part}: memory, least`, min, 'MiB'),
  figure(`${part}: memory, most`, max, 'MiB'),
  figure(`${part}: memory, slope`, slope, 'MiB/min'),
  figure(`${part}: memory before`, level, 'MiB'),
  atMost(`${part}: memory over that`, max - level, 'MiB', GROWTH_BUDGET),
  figure(`${part}: memory over the level after the warm-up`, max - warmUp, 'MiB'),
];

export async function run(): Promise<Row[]> {
  return withService(async (service) => {
    // Making a database takes memory that using one does not.
    await service.restart();
    const { pid } = service;
    // One project may start 100 streams a minute.
    const keys = await Promise.all((await service.addProjects(2, 8)).map((project) => service.liveKey(project)));
    const sessions = scaled(SESSIONS);
    const sockets = openSockets(pid);
    const rows = [figure('memory before any work', await restingMemory(pid), 'MiB')];
    // A little of each part: a recognizer keeps what its longest piece of audio has taken.
    await transcribe(service, scaled(300));
    await shortSessions(service, keys, scaled(80));
    await deafClients(service, keys, scaled(WARM_UP_DEAF_MS));
    await socketsLeft(pid, sockets);
    const level = await restingMemory(pid);
    rows.push(figure('memory after the warm-up', level, 'MiB'));

    const from = performance.now();
    const hour = await watchMemory(pid, () => transcribe(service, scaled(RECORDING_SECONDS)));
    rows.push(
      figure('recording, length', hour.result.recordingSeconds, 's'),
      atMost('recording, transcribed after', (performance.now() - from) / 1000, 's', PART_MS / 1000),
      atMost(
        'recording, length told wrong by',
        Math.abs(hour.result.durationSeconds - hour.result.recordingSeconds),
        's',
        1,
      ),
      atLeast('recording, words heard of those said', hour.result.heard / hour.result.said, '', 0.9),
      ...curveRows('recording', hour.curve, level, level),
    );

    const levelBeforeShort = await restingMemory(pid);
    const began = performance.now();
    const short = await watchMemory(pid, () => shortSessions(service, keys, sessions));
    if (short.result.failure !== undefined) console.error(short.result.failure);
    rows.push(
      atLeast('short streams that finished with words', short.result.good, 'streams', sessions),
      figure('short streams a second', sessions / ((performance.now() - began) / 1000), '1/s'),
      ...curveRows('short streams', short.curve, levelBeforeShort, level),
    );

    const levelBeforeDeaf = await restingMemory(pid);
    const deaf = await watchMemory(pid, () => deafClients(service, keys, scaled(DEAF_MS)));
    rows.push(
      figure(`${DEAF_CLIENTS} clients that never read: connections`, deaf.result, ''),
      ...curveRows('clients that never read', deaf.curve, levelBeforeDeaf, level),
    );

    rows.push(atMost('sockets still open afterwards', await socketsLeft(pid, sockets), '', 0));
    rows.push(
      atMost(
        'memory off the level after the warm-up, in the end',
        Math.abs((await restingMemory(pid)) - level),
        'MiB',
        GROWTH_BUDGET,
      ),
    );
    rows.push(atMost('complaints in the log', service.complaints.length, 'lines', 0));
    if (service.complaints.length > 0) console.error(service.complaints.slice(0, 10).join('\n'));
    const ended = await service.sessionsAsLeft();
    rows.push(
      figure('streams written down as completed', ended['completed'] ?? 0, 'streams'),
      atMost('streams still counted as running', ended['running'] ?? 0, 'streams', 0),
    );
    return rows;
  });
}
