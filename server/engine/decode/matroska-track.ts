import { viewOf } from './bytes.ts';
import { TRACKS_MAX } from './codec.ts';
import { children, unsigned } from './ebml.ts';
import { EngineError } from '../port.ts';

/** An audio track of a Matroska file. */
export interface Track {
  number: number;
  /** Matroska's codec id, such as `A_OPUS`. */
  codec: string;
  /** The codec's private data (CodecPrivate). */
  setup: Uint8Array;
  sampleRate: number;
  channels: number;
  bits: number;
  /** Bytes to put before each frame, which header stripping has removed. */
  prefix: Uint8Array;
  /** Seconds to subtract from each time stamp (CodecDelay). */
  delay: number;
}

const TRACK_ENTRY = 0xae;
const TYPE = 0x83;
const AUDIO = 2;
const ENABLED = 0xb9;
const DEFAULT = 0x88;
const COMMENTARY = 0x55af;
const LANGUAGE = 0x22b59c;
const UNKNOWN_LANGUAGE = 'und';
const HEADER_STRIPPING = 3;
const NONE = new Uint8Array(0);

/** Contents of child elements by id; the last one of each id. */
const fieldsOf = (bytes: Uint8Array): Map<number, Uint8Array> =>
  new Map(Array.from(children(bytes), ({ id, content }) => [id, content]));

const numberIn = (fields: Map<number, Uint8Array>, id: number, missing: number): number =>
  unsigned(fields.get(id) ?? Uint8Array.of(missing));

function floatIn(fields: Map<number, Uint8Array>, id: number, missing: number): number {
  const bytes = fields.get(id);
  if (bytes?.length === 4) return viewOf(bytes).getFloat32(0);
  return bytes?.length === 8 ? viewOf(bytes).getFloat64(0) : missing;
}

/**
 * The prefix of each frame.
 * @throws EngineError if frames are encrypted, or compressed by more than header stripping
 */
function prefixOf(encodings: Uint8Array | undefined): Uint8Array {
  const encoding = fieldsOf(fieldsOf(encodings ?? NONE).get(0x6240) ?? NONE);
  if (encoding.has(0x5035) || numberIn(encoding, 0x5033, 0) === 1)
    throw new EngineError('invalid_audio', 'The audio is encrypted and cannot be read.');
  const compression = encoding.get(0x5034);
  if (compression === undefined) return NONE;
  const fields = fieldsOf(compression);
  if (numberIn(fields, 0x4254, 0) !== HEADER_STRIPPING)
    throw new EngineError('invalid_audio', 'The audio is packed in a way that is not read here.');
  return fields.get(0x4255) ?? NONE;
}

/**
 * Chooses the audio tracks to decode, at most {@link TRACKS_MAX}: the default one, and others in its language or
 * without a language. Leaves out translations and commentary.
 * @returns `leftOut`: the number of other audio tracks
 * @throws EngineError if there is no audio track
 */
export function audioTracks(tracks: Uint8Array): { main: Track; others: Track[]; leftOut: number } {
  const entries = Array.from(children(tracks))
    .filter(({ id }) => id === TRACK_ENTRY)
    .map(({ content }) => fieldsOf(content))
    .filter((fields) => numberIn(fields, TYPE, 0) === AUDIO);
  const heard = entries.filter((fields) => numberIn(fields, ENABLED, 1) === 1 && numberIn(fields, COMMENTARY, 0) === 0);
  const main = heard.find((fields) => numberIn(fields, DEFAULT, 1) === 1) ?? heard[0] ?? entries[0];
  if (main === undefined) throw new EngineError('invalid_audio', 'The WebM or Matroska file has no audio track.');
  const others = heard.filter(
    (fields) => fields !== main && [UNKNOWN_LANGUAGE, languageOf(main)].includes(languageOf(fields)),
  );
  const read = others.slice(0, TRACKS_MAX - 1).flatMap(readable);
  return { main: trackOf(main), others: read, leftOut: entries.length - 1 - read.length };
}

/** The track of an entry, in a list; empty if it cannot be read. */
function readable(entry: Map<number, Uint8Array>): Track[] {
  try {
    return [trackOf(entry)];
  } catch {
    return [];
  }
}

/** The language's three letters (ISO 639-2); newer writers add another element, but keep this one. */
const languageOf = (fields: Map<number, Uint8Array>): string => textIn(fields.get(LANGUAGE)) || UNKNOWN_LANGUAGE;

const textIn = (bytes: Uint8Array = NONE): string => Buffer.from(bytes).toString('latin1').replaceAll('\0', '');

function trackOf(entry: Map<number, Uint8Array>): Track {
  const audio = fieldsOf(entry.get(0xe1) ?? NONE);
  return {
    number: numberIn(entry, 0xd7, 1),
    codec: textIn(entry.get(0x86)),
    setup: entry.get(0x63a2) ?? NONE,
    sampleRate: Math.round(floatIn(audio, 0xb5, 8000)),
    channels: numberIn(audio, 0x9f, 1),
    bits: numberIn(audio, 0x6264, 16),
    prefix: prefixOf(entry.get(0x6d80)),
    delay: numberIn(entry, 0x56aa, 0) / 1e9,
  };
}
