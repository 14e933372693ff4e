/**
 * Half of the recognizer's figures on one runtime, as a process of its own so that memory is its alone: prints rows as JSON.
 * Run by recognizer.ts; alone: `npx tsx bench/recognizer-runtime.ts native files`, or `… wasm streams`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import { FileTranscriber } from '#server/engine/recognizer/file-transcriber.ts';
import { loadRuntime } from '#server/engine/recognizer/ort.ts';
import type { RuntimeName } from '#server/engine/recognizer/ort.ts';
import type { WorkerPool } from '#server/engine/recognizer/pool.ts';
import { loadRecognizer } from '#server/engine/recognizer/recognizer.ts';
import { loadVad } from '#server/engine/recognizer/vad.ts';
import { clip } from '#test/audio/clips.ts';
import { words, wordErrorRate } from '#test/audio/wer.ts';
import { processorTime, residentMemory } from './memory.ts';
import { atLeast, atMost, figure, quantile } from './row.ts';
import type { Row } from './row.ts';
import { scaled } from './settings.ts';

const CLIPS = ['short.wav', 'two-sentences.wav', 'weather-report.wav', 'meeting-notes.wav'];
const STREAM_COUNTS = [2, 4, 6, 8];
const STREAM_SECONDS = scaled(15);
const CHUNK_MS = 120;
/** A word has to show within this time of its end, for nine words in ten. */
const FIRST_PARTIAL_MS = 1000;
/** Streams that keep to it at least. */
const STREAMS_BUDGET = 2;
const PROCESS_MIB: Record<RuntimeName, number> = { native: 500, wasm: 900 };
const RTF_BUDGET: Record<RuntimeName, number> = { native: 0.1, wasm: 0.1 };

type Pass = { cpu: number; audio: number; wrong: number; total: number };

/** All recordings once: seconds of CPU time and of audio, words wrong and words in all. */
async function hearAll(listen: (samples: Float32Array) => Promise<string>): Promise<Pass> {
  const pass: Pass = { cpu: 0, audio: 0, wrong: 0, total: 0 };
  for (const { samples, seconds, text } of CLIPS.slice(0, scaled(CLIPS.length)).map(clip)) {
    const before = process.cpuUsage();
    const heard = await listen(samples);
    const { user, system } = process.cpuUsage(before);
    pass.cpu += (user + system) / 1e6;
    pass.audio += seconds;
    pass.wrong += wordErrorRate(text, heard) * words(text).length;
    pass.total += words(text).length;
  }
  return pass;
}

/** Seconds of CPU time per second of audio on whole recordings, and the words wrong. */
async function realTimeFactor(name: RuntimeName): Promise<Row[]> {
  const before = residentMemory(process.pid);
  const runtime = await loadRuntime(name);
  const [recognizer, vad] = await Promise.all([loadRecognizer(runtime), loadVad(runtime)]);
  const listen = async (samples: Float32Array): Promise<string> => {
    const file = new FileTranscriber(recognizer, vad.detector(), {
      languageIdentification: false,
      diarization: false,
      continued: false,
    });
    await file.append(samples);
    file.end();
    let heard = '';
    while (file.waiting > 0)
      heard += (await file.step(() => Promise.resolve())).tokens.map((token) => token.text).join('');
    return heard;
  };
  // A service hears more than its first minute: in that one the code is still being compiled.
  const first = await hearAll(listen);
  const { cpu, audio, wrong, total } = await hearAll(listen);
  return [
    figure(`${name}: CPU time per audio time, first minute`, first.cpu / first.audio, 's/s'),
    atMost(`${name}: CPU time per audio time`, cpu / audio, 's/s', RTF_BUDGET[name]),
    atMost(`${name}: word error rate on the fixtures`, wrong / total, '', 0.03),
    figure(`${name}: memory of one recognizer`, residentMemory(process.pid) - before, 'MiB'),
  ];
}

/** Milliseconds from the end of what was said. */
interface Delays {
  /** Until each word was first shown. */
  shown: number[];
  /** Until each word was final. */
  settled: number[];
  /** From the end of the audio to the last result. */
  finish: number;
}

/** Feeds one stream at the speed of speech. */
async function speakTo(engine: WorkerPool, delayMs: number): Promise<Delays> {
  const { pcm, sampleRate } = clip('weather-report.wav');
  await sleep(delayMs);
  const delays: Delays = { shown: [], settled: [], finish: Number.NaN };
  const begun = performance.now();
  let shownMs = 0;
  let endedAt = 0;
  await new Promise<void>((resolve, reject) => {
    const stream = engine.openStream(
      { sampleRate, channels: 1, endpointDetection: true },
      {
        result: ({ tokens, finished: last }) => {
          const now = performance.now() - begun;
          for (const { end_ms: end = 0, text, is_final: final } of tokens) {
            if (text === '<end>') continue;
            if (final) delays.settled.push(now - end);
            if (end <= shownMs) continue;
            shownMs = end;
            delays.shown.push(now - end);
          }
          if (!last) return;
          delays.finish = now - endedAt;
          resolve();
        },
        error: reject,
      },
    );
    void (async () => {
      const chunk = Math.round((sampleRate * CHUNK_MS) / 1000) * 2;
      for (let sent = 0; sent < STREAM_SECONDS * 1000; sent += CHUNK_MS) {
        await sleep(Math.max(0, begun + sent + CHUNK_MS - performance.now()));
        const at = ((sent / CHUNK_MS) * chunk) % (pcm.length - chunk);
        stream.write(pcm.subarray(at - (at % 2), at - (at % 2) + chunk));
      }
      endedAt = performance.now() - begun;
      stream.end();
    })();
  });
  return delays;
}

async function liveStreams(name: RuntimeName): Promise<Row[]> {
  const started = performance.now();
  const engine = createEmbeddedEngine();
  try {
    await engine.ready();
    const { workers, maxStreams, runtime } = engine.info();
    if (runtime !== name) throw new Error(`The engine runs on ${runtime}, not ${name}.`);
    const rows = [figure(`${name}: start until ready`, (performance.now() - started) / 1000, 's')];
    let held = 0;
    for (const count of STREAM_COUNTS.slice(0, scaled(STREAM_COUNTS.length)).filter(
      (streams) => streams <= maxStreams,
    )) {
      const cpu = processorTime(engine.pids);
      const delays = await Promise.all(
        Array.from({ length: count }, (_, index) => speakTo(engine, (index * 500) / count)),
      );
      const used = processorTime(engine.pids) - cpu;
      const [shown, settled, finish] = [
        delays.flatMap((one) => one.shown),
        delays.flatMap((one) => one.settled),
        delays.map((one) => one.finish),
      ];
      const p90 = quantile(shown, 0.9);
      if (p90 <= FIRST_PARTIAL_MS) held = count;
      const part = `${name}, ${count} streams`;
      rows.push(
        figure(`${part}: word shown after, p50`, quantile(shown, 0.5), 'ms'),
        atMost(`${part}: word shown after, p90`, p90, 'ms', FIRST_PARTIAL_MS),
        figure(`${part}: word final after, p50`, quantile(settled, 0.5), 'ms'),
        figure(`${part}: word final after, p90`, quantile(settled, 0.9), 'ms'),
        figure(`${part}: finished after the last sound, p90`, quantile(finish, 0.9), 'ms'),
        figure(`${part}: CPU per stream`, used / STREAM_SECONDS / count, 'cores'),
      );
    }
    rows.push(
      atLeast(
        `${name}: live streams held (${workers} workers, ${maxStreams} admitted)`,
        held,
        'streams',
        STREAMS_BUDGET,
      ),
    );
    const each = engine.pids.map(residentMemory);
    rows.push(atMost(`${name}: memory of a recognizer process`, Math.max(...each), 'MiB', PROCESS_MIB[name]));
    return rows;
  } finally {
    await engine.close();
  }
}

const name = process.argv[2] === 'wasm' ? 'wasm' : 'native';
process.env['PARLANCE_RUNTIME'] = name;
console.log(JSON.stringify(await (process.argv[3] === 'streams' ? liveStreams(name) : realTimeFactor(name))));
