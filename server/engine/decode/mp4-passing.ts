/** Follows the boxes of one MP4, and finds where it ends. */
import {
  SNIFF_BYTES,
  SNIFF_BYTES_MIN,
  afterZeros,
  beginningOf,
  id3Bytes,
  sniffFormat,
  type AudioFormat,
} from './audio-format.ts';
import { findBeginning } from './marks.ts';
import { FragmentTimes } from './mp4-fragments.ts';
import { GOES_ON_MAX, UNKNOWN_MAX, boxAt, hasBareFrames, lastChunk, type Ahead, type Box } from './mp4.ts';
import { findFrames } from './mpeg-frames.ts';

/** Boxes that no MP4 begins with. */
const INNER = new Set('moov moof mdat free skip wide styp sidx ssix mfra emsg prft uuid meta'.split(' '));
/** Boxes that stand only inside others: where one comes next, bytes were lost. */
const INSIDE = new Set(['mfhd', 'traf', 'tfhd', 'tfdt', 'trun']);
/** Boxes of a whole MP4 in fragments. */
const KNOWN = new Set([...INNER, 'ftyp', 'mdat', 'pdin', 'udta']);
/** What may stand between an index and its first fragment. */
const BETWEEN = new Set(['free', 'skip', 'styp', 'sidx', 'ssix', 'emsg', 'prft']);

/** Boxes behind which another recording may begin. */
const OF_A_RECORDING = new Set(['moov', 'moof', 'mdat']);
/** Formats without a mark: the head of a box may look like one. */
const FRAMED = new Set<AudioFormat | null>(['mp3', 'aac', 'ac3', 'eac3']);

/** One MP4 whose boxes pass by. */
export class Passing {
  #hasBegun = false;
  index: Uint8Array | null = null;
  /** Of one in fragments. */
  times: FragmentTimes | null = null;
  /** Bytes before the next box. */
  position = 0;
  /** Whether ffmpeg hears all of it only through {@link mp4Bytes}. */
  isMended = false;
  /** What begins behind it, once that is found. */
  next: AudioFormat | null = null;
  /** Where the box before the next one begins if that is sound. */
  #lastSoundAt: number | null = null;
  /** Whether its last box ends before or behind the end of all. */
  isDoubtful = false;

  pass(box: Box): void {
    const isSound = box.type === 'mdat';
    this.#lastSoundAt = isSound ? this.position : null;
    this.position += box.size;
  }

  /** Whether another recording may hide at its end: it is no whole MP4, and its own sound is no frames that would look like one. */
  get mayHide(): boolean {
    return this.isDoubtful && this.index !== null && !hasBareFrames(this.index);
  }

  /** Goes back to the sound before, where there are no fragments: another recording may have begun in it. */
  goBack(): void {
    if (this.index !== null && this.times === null) this.position = this.#lastSoundAt ?? this.position;
  }

  enter(index: Uint8Array): void {
    if (this.index !== null) return;
    this.index = index;
    const times = new FragmentTimes(index);
    if (times.areAny) this.times = times;
  }

  /** Whether a box may belong to this MP4. Between fragments, a box of an unknown type does where a known one follows soon. */
  async owns(ahead: Ahead, box: Box | null, from = 0): Promise<boolean> {
    if (this.times === null) return box !== null;
    let [next, at] = [box, from];
    for (let count = 0; next !== null && count < UNKNOWN_MAX && at <= GOES_ON_MAX; count += 1) {
      if (KNOWN.has(next.type)) return true;
      if (INSIDE.has(next.type)) return false;
      at += next.size;
      next = at <= GOES_ON_MAX ? await boxAt(ahead, at) : null;
    }
    return false;
  }

  /** Whether all of its sound begins before the next box. */
  get isAllBefore(): boolean {
    return this.index === null || lastChunk(this.index) < this.position;
  }

  /** Whether another recording begins instead of the box. */
  async hasEnded(ahead: Ahead, box: Box | null): Promise<boolean> {
    this.next = await this.#joined(ahead, box);
    return this.next !== null;
  }

  async #joined(ahead: Ahead, box: Box | null): Promise<AudioFormat | null> {
    if (box !== null && OF_A_RECORDING.has(box.type)) this.#hasBegun = true;
    if (!this.#hasBegun || (box !== null && INNER.has(box.type))) return null;
    if (box?.type === 'ftyp') return (await this.#goesOn(ahead)) ? null : 'mp4';
    const head = await ahead(0, box === null ? SNIFF_BYTES : SNIFF_BYTES_MIN);
    if (box === null && id3Bytes(head) > 0) return 'mp3';
    const mark = findBeginning(head);
    // The size of a box may look like the head of a video.
    const format =
      mark.at === 0 && mark.format !== null ? mark.format : box === null ? beginningOf(head) : sniffFormat(head);
    // A single header may stand in any sound.
    const isOne = (format === 'mp3' || format === 'aac') && findFrames(head)?.at !== afterZeros(head);
    return isOne || (box !== null && FRAMED.has(format)) ? null : format;
  }

  /** Whether a fragment follows, as some recorders begin each like a file: without an index, or with the same one while the times go on. */
  async #goesOn(ahead: Ahead): Promise<boolean> {
    const { index, times } = this;
    if (index === null || times === null) return false;
    let isSame = false;
    for (let at = 0; at < GOES_ON_MAX;) {
      const box = await boxAt(ahead, at);
      if (box === null || at + box.size > GOES_ON_MAX) return false;
      const content = (): Promise<Uint8Array> => ahead(at + box.headBytes, box.size - box.headBytes);
      if (box.type === 'moof') return !isSame || times.goesOn(await content());
      if (box.type === 'moov') {
        isSame = box.size - box.headBytes === index.length && Buffer.from(index).equals(await content());
        if (!isSame) return false;
      } else if (at > 0 && !BETWEEN.has(box.type)) return false;
      at += box.size;
    }
    return false;
  }
}
