import { viewOf } from './bytes.ts';
import { TRACKS_MAX } from './codec.ts';
import { children, unsigned } from './ebml.ts';
import { EngineError } from '../port.ts';

/** An audio track of a Matroska file. */
export interface Track {
  number: number;
  /** As Matroska names it, such as `A_OPUS`. */
  codec: string;
  /** What the codec wants to know before the first frame. */
  setup: Uint8Array;
  sampleRate: number;
  channels: number;
  bits: number;
  /** Bytes that were taken off the start of every frame. */
  prefix: Uint8Array;
  /** Seconds that the time stamps are ahead of the sound. */
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

/** Contents of elements by id, the last of each. */
const fieldsOf = (bytes: Uint8Array): Map<number, Uint8Array> =>
  new Map(Array.from(children(bytes), ({ id, content }) => [id, content]));

const numberIn = (fields: Map<number, Uint8Array>, id: number, missing: number): number =>
  unsigned(fields.get(id) ?? Uint8Array.of(missing));

function floatIn(fields: Map<number, Uint8Array>, id: number, missing: number): number {
  const bytes = fields.get(id);
  if (bytes?.length === 4) return viewOf(bytes).getFloat32(0);
  return bytes?.length === 8 ? viewOf(bytes).getFloat64(0) : missing;
}

/** @throws EngineError when frames are encrypted or packed in a way of no use for audio */
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
 * The audio tracks that are heard together: those in the language of the default one, or without a language. Others say the same in
 * another language, or comment on it. At most as many as are decoded side by side.
 * @returns with how many there are beside them
 * @throws EngineError when there is none
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

/** A track beside the main one; none where it cannot be read. */
function readable(entry: Map<number, Uint8Array>): Track[] {
  try {
    return [trackOf(entry)];
  } catch {
    return [];
  }
}

/** By its three letters: a writer of the newer kind leaves these, too. */
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
