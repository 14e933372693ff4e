/** The recognizer's figures: CPU time per audio second, live streams held, memory. Run alone: npx tsx bench/recognizer.ts */
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmbeddedEngine } from '#server/speech/embedded.ts';
import { FileTranscriber } from '#server/speech/file-transcriber.ts';
import { loadRuntime } from '#server/speech/ort.ts';
import type { RuntimeName } from '#server/speech/ort.ts';
import type { WorkerPool } from '#server/speech/pool.ts';
import { loadRecognizer } from '#server/speech/recognizer.ts';
import { loadVad } from '#server/speech/vad.ts';
import { clip } from '#test/audio/clips.ts';
import { words, wordErrorRate } from '#test/audio/wer.ts';
import { atMost, figure, quantile } from './row.ts';
import type { Row } from './row.ts';

const CLIPS = ['meeting-notes.wav', 'weather-report.wav', 'short.wav', 'two-sentences.wav'];
const STREAM_COUNTS = [2, 4, 6, 8];
const STREAM_SECONDS = 15;
const CHUNK_MS = 120;
/** A word has to show within this time of its end, for nine words in ten. */
const FIRST_PARTIAL_MS = 1000;
const RTF_BUDGET: Record<RuntimeName, number> = { native: 0.1, wasm: 0.1 };

/** Seconds of CPU time per second of audio on whole recordings, and the words wrong. */
async function realTimeFactor(name: RuntimeName): Promise<Row[]> {
  const runtime = await loadRuntime(name);
  const [recognizer, vad] = await Promise.all([loadRecognizer(runtime), loadVad(runtime)]);
  let cpu = 0;
  let audio = 0;
  let wrong = 0;
  let total = 0;
  for (const { samples, seconds, text } of CLIPS.map(clip)) {
    const before = process.cpuUsage();
    const file = new FileTranscriber(recognizer, vad.detector(), { languageIdentification: false, diarization: false, continued: false });
    await file.append(samples);
    file.end();
    let heard = '';
    while (file.waiting > 0) heard += (await file.step(() => Promise.resolve())).tokens.map((token) => token.text).join('');
    const { user, system } = process.cpuUsage(before);
    cpu += (user + system) / 1e6;
    audio += seconds;
    wrong += wordErrorRate(text, heard) * words(text).length;
    total += words(text).length;
  }
  return [atMost(`CPU time per audio time, ${name}`, cpu / audio, 's/s', RTF_BUDGET[name]), atMost(`word error rate on the fixtures, ${name}`, wrong / total, '', 0.03)];
}

/** Feeds one stream at the speed of speech. @returns for each word how long after its end it was first shown, in ms */
async function speakTo(engine: WorkerPool, delayMs: number): Promise<number[]> {
  const { pcm, sampleRate } = clip('weather-report.wav');
  await sleep(delayMs);
  const latencies: number[] = [];
  const begun = performance.now();
  let shownMs = 0;
  const finished = new Promise<void>((resolve, reject) => {
    const stream = engine.openStream({ sampleRate, channels: 1, endpointDetection: true }, {
      result: ({ tokens, finished: last }) => {
        for (const { end_ms: end = 0, text } of tokens) {
          if (end <= shownMs || text === '<end>') continue;
          shownMs = end;
          latencies.push(performance.now() - begun - end);
        }
        if (last) resolve();
      },
      error: reject,
    });
    void (async () => {
      const chunk = Math.round((sampleRate * CHUNK_MS) / 1000) * 2;
      for (let sent = 0; sent < STREAM_SECONDS * 1000; sent += CHUNK_MS) {
        await sleep(Math.max(0, begun + sent + CHUNK_MS - performance.now()));
        const at = ((sent / CHUNK_MS) * chunk) % (pcm.length - chunk);
        stream.write(pcm.subarray(at - (at % 2), at - (at % 2) + chunk));
      }
      stream.end();
    })();
  });
  await finished;
  return latencies;
}

async function liveStreams(): Promise<Row[]> {
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const engine = createEmbeddedEngine();
  try {
    await engine.ready();
    const rows = [figure('start until ready', (performance.now() - started) / 1000, 's')];
    let held = 0;
    for (const count of STREAM_COUNTS.filter((streams) => streams <= engine.info().maxStreams)) {
      const cpu = process.cpuUsage();
      const latencies = (await Promise.all(Array.from({ length: count }, (_, index) => speakTo(engine, (index * 500) / count)))).flat();
      const { user, system } = process.cpuUsage(cpu);
      const p90 = quantile(latencies, 0.9);
      if (p90 <= FIRST_PARTIAL_MS) held = count;
      rows.push(figure(`${count} streams: word shown after, median`, quantile(latencies, 0.5), 'ms'), atMost(`${count} streams: word shown after, p90`, p90, 'ms', FIRST_PARTIAL_MS));
      rows.push(figure(`${count} streams: CPU per stream`, (user + system) / 1e6 / STREAM_SECONDS / count, 'cores'));
    }
    const { workers, maxStreams, runtime } = engine.info();
    rows.push({ name: `live streams held (${runtime}, ${workers} workers, ${maxStreams} admitted)`, value: held, unit: 'streams', budget: 2, ok: held >= 2 });
    rows.push(figure(`memory of ${workers} workers`, (process.memoryUsage().rss - before) / 2 ** 20, 'MiB'));
    return rows;
  } finally {
    await engine.close();
  }
}

export async function run(): Promise<Row[]> {
  const streams = await liveStreams();
  return [...(await realTimeFactor('native')), ...(await realTimeFactor('wasm')), ...streams];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, value, unit, budget, ok } of await run()) console.log(`${ok ? 'ok  ' : 'MISS'} ${name}: ${value.toFixed(3)} ${unit}${budget === undefined ? '' : ` (budget ${budget})`}`);
}
