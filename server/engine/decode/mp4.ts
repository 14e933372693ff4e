import type { FileHandle } from 'node:fs/promises';
import { textOf, viewOf } from './bytes.ts';
import { EngineError } from '../port.ts';

/** The index of hours of video stays below this. */
const INDEX_MAX = 1 << 26;
const BOXES_MAX = 100_000;

const CODECS: Readonly<Record<string, string>> = {
  mp4a: 'AAC',
  alac: 'Apple Lossless',
  Opus: 'Opus',
  fLaC: 'FLAC',
  '.mp3': 'MP3',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  samr: 'AMR',
  sawb: 'AMR',
};
/** Sample entries of protected audio: common encryption, and the older kind of music shops. */
const PROTECTED = new Set(['enca', 'drms', 'drma']);

const invalid = (why: string): EngineError => new EngineError('invalid_audio', `The MP4 file ${why}.`);

async function read(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Size of the box whose head this is, with the head, and the length of that; size 0 goes to the end. */
function sizeOf(head: Uint8Array): { size: number; headBytes: number } {
  const view = viewOf(head);
  const size = view.getUint32(0);
  if (size === 1 && head.length >= 16) return { size: Number(view.getBigUint64(8)), headBytes: 16 };
  return { size: size === 0 ? Infinity : size, headBytes: 8 };
}

function* boxes(bytes: Uint8Array): Generator<{ type: string; content: Uint8Array }> {
  for (let at = 0; at + 8 <= bytes.length;) {
    const { size, headBytes } = sizeOf(bytes.subarray(at));
    if (size < headBytes) return;
    yield { type: textOf(bytes, at + 4, at + 8), content: bytes.subarray(at + headBytes, at + size) };
    at += size;
  }
}

const inside = (bytes: Uint8Array, type: string): Uint8Array =>
  Array.from(boxes(bytes)).find((box) => box.type === type)?.content ?? new Uint8Array(0);

/** The `moov` box, which says what tracks there are; it may stand at the end. @throws EngineError */
async function readIndex(file: FileHandle): Promise<Uint8Array> {
  let position = 0;
  for (let count = 0; count < BOXES_MAX; count += 1) {
    const head = await read(file, position, 16);
    if (head.length < 8) break;
    const { size, headBytes } = sizeOf(head);
    if (size < headBytes) break;
    if (textOf(head, 4, 8) === 'moov') {
      if (size > INDEX_MAX && size !== Infinity) break;
      const content = await read(file, position + headBytes, Math.min(size - headBytes, INDEX_MAX));
      if (size !== Infinity && content.length < size - headBytes) break;
      return content;
    }
    position += size;
    if (position === Infinity) break;
  }
  throw invalid('is cut short or damaged: its index is missing');
}

/** The media boxes of the sound tracks. */
function soundsOf(index: Uint8Array): Uint8Array[] {
  const tracks = Array.from(boxes(index))
    .filter(({ type }) => type === 'trak')
    .map(({ content }) => inside(content, 'mdia'));
  return tracks.filter((media) => textOf(inside(media, 'hdlr'), 8, 12) === 'soun');
}

/** Time scale and duration of a header box (`mvhd`, `mdhd`); a duration of all bits set is unknown. */
function timesOf(header: Uint8Array): { scale: number; duration: number } | null {
  const view = viewOf(header);
  if (header[0] === 1 && header.length >= 32) {
    const duration = view.getBigUint64(24);
    return { scale: view.getUint32(20), duration: duration === 0xffff_ffff_ffff_ffffn ? 0 : Number(duration) };
  }
  if (header.length < 20) return null;
  const duration = view.getUint32(16);
  return { scale: view.getUint32(12), duration: duration === 0xffff_ffff ? 0 : duration };
}

/** Seconds of sound that the index declares, null where it does not. A file in fragments has its length in a box of its own, if at all. @throws EngineError without a whole index */
export async function mp4Duration(file: FileHandle): Promise<number | null> {
  const index = await readIndex(file);
  const [sound] = soundsOf(index);
  const media = sound && timesOf(inside(sound, 'mdhd'));
  if (media && media.duration > 0) return media.duration / media.scale;
  const movie = timesOf(inside(index, 'mvhd'));
  const fragments = inside(inside(index, 'mvex'), 'mehd');
  if (movie === null || fragments.length < 8) return null;
  return (
    (fragments[0] === 1 && fragments.length >= 12
      ? Number(viewOf(fragments).getBigUint64(4))
      : viewOf(fragments).getUint32(4)) / movie.scale
  );
}

/** How many sound tracks an MP4 has, and the name of the codec of the first, told from its index. @throws EngineError when it has no sound, or protected sound, or no whole index */
export async function mp4Sound(file: FileHandle): Promise<{ codec: string; tracks: number }> {
  const index = await readIndex(file);
  const sounds = soundsOf(index);
  const [sound] = sounds;
  if (sound === undefined) throw invalid('has no audio track');
  const codec = textOf(inside(inside(inside(sound, 'minf'), 'stbl'), 'stsd'), 12, 16);
  if (PROTECTED.has(codec)) throw invalid('is encrypted (DRM) and cannot be read');
  return { codec: CODECS[codec] ?? codec.trim(), tracks: sounds.length };
}
