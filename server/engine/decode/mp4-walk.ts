/** Walks the boxes of one MP4, and finds where it ends. */
import {
  SNIFF_BYTES,
  SNIFF_BYTES_MIN,
  afterZeros,
  sniffFormatOrVideo,
  id3Bytes,
  sniffFormat,
  type AudioFormat,
} from './audio-format.ts';
import { findMark } from './marks.ts';
import { FragmentTimes } from './mp4-fragments.ts';
import { GOES_ON_MAX, UNKNOWN_MAX, boxAt, hasBareFrames, lastChunkOffset, type PeekAt, type Box } from './mp4.ts';
import { findFrames } from './mpeg-frames.ts';

/** Boxes that follow `ftyp`: none of them begins a joined MP4. */
const AFTER_FTYP = new Set('moov moof mdat free skip wide styp sidx ssix mfra emsg prft uuid meta'.split(' '));
/** Children of other boxes: if one stands at the top level, bytes were lost before it. */
const CHILD_BOXES = new Set(['mfhd', 'traf', 'tfhd', 'tfdt', 'trun']);
/** Top-level boxes of an MP4 in fragments. */
const TOP_LEVEL = new Set([...AFTER_FTYP, 'ftyp', 'mdat', 'pdin', 'udta']);
/** Boxes that may stand between an index (`moov`) and its first fragment. */
const BEFORE_FRAGMENT = new Set(['free', 'skip', 'styp', 'sidx', 'ssix', 'emsg', 'prft']);

/** Only behind one of these may another recording begin. */
const RECORDING_BOXES = new Set(['moov', 'moof', 'mdat']);
/** Formats of bare frames: a box header may look like one of their frames. */
const BARE_FRAMES = new Set<AudioFormat | null>(['mp3', 'aac', 'ac3', 'eac3']);

/** The state of a walk over the boxes of one MP4. */
export class Mp4Walk {
  #hasBegun = false;
  /** The content of its `moov`, once the walk has passed it. */
  index: Uint8Array | null = null;
  /** The times of its fragments; null if it has none. */
  times: FragmentTimes | null = null;
  /** Offset of the next box. */
  position = 0;
  /** Whether ffmpeg needs the repaired bytes of `mp4Bytes` to decode all of it. */
  needsRepair = false;
  /** The format of the recording behind it, once found. */
  next: AudioFormat | null = null;
  /** Offset of the last box, if it is an `mdat`. */
  #lastSoundAt: number | null = null;
  /** Whether the boxes do not add up: bytes are missing, or follow the last box. */
  isDoubtful = false;

  /** Moves behind the next box. */
  pass(box: Box): void {
    const isSound = box.type === 'mdat';
    this.#lastSoundAt = isSound ? this.position : null;
    this.position += box.size;
  }

  /** Whether a hidden recording may be at its end: its boxes do not add up, and its own sound has no bare frames. */
  get mayHideRecording(): boolean {
    return this.isDoubtful && this.index !== null && !hasBareFrames(this.index);
  }

  /** Without fragments, goes back to the last `mdat`, because another recording may have begun in it. */
  goBack(): void {
    if (this.index !== null && this.times === null) this.position = this.#lastSoundAt ?? this.position;
  }

  /** Takes the content of the first `moov`. */
  enter(index: Uint8Array): void {
    if (this.index !== null) return;
    this.index = index;
    const times = new FragmentTimes(index);
    if (times.exist) this.times = times;
  }

  /** Whether a box may belong to this MP4. In fragments, a box of unknown type does if a known one follows soon. */
  async owns(peekAt: PeekAt, box: Box | null, from = 0): Promise<boolean> {
    if (this.times === null) return box !== null;
    let [next, at] = [box, from];
    for (let count = 0; next !== null && count < UNKNOWN_MAX && at <= GOES_ON_MAX; count += 1) {
      if (TOP_LEVEL.has(next.type)) return true;
      if (CHILD_BOXES.has(next.type)) return false;
      at += next.size;
      next = at <= GOES_ON_MAX ? await boxAt(peekAt, at) : null;
    }
    return false;
  }

  /** Whether all sound that the index lists begins before the next box. */
  get hasAllSound(): boolean {
    return this.index === null || lastChunkOffset(this.index) < this.position;
  }

  /** Whether another recording begins at the next box. */
  async hasEnded(peekAt: PeekAt, box: Box | null): Promise<boolean> {
    this.next = await this.#joined(peekAt, box);
    return this.next !== null;
  }

  async #joined(peekAt: PeekAt, box: Box | null): Promise<AudioFormat | null> {
    if (box !== null && RECORDING_BOXES.has(box.type)) this.#hasBegun = true;
    if (!this.#hasBegun || (box !== null && AFTER_FTYP.has(box.type))) return null;
    if (box?.type === 'ftyp') return (await this.#goesOn(peekAt)) ? null : 'mp4';
    const head = await peekAt(0, box === null ? SNIFF_BYTES : SNIFF_BYTES_MIN);
    if (box === null && id3Bytes(head) > 0) return 'mp3';
    const mark = findMark(head);
    // Where a box begins, do not test for video: the box's size may look like the beginning of a video file.
    const format =
      mark.at === 0 && mark.format !== null ? mark.format : box === null ? sniffFormatOrVideo(head) : sniffFormat(head);
    // A single frame header occurs in any sound by chance.
    const isSingleFrame = (format === 'mp3' || format === 'aac') && findFrames(head)?.at !== afterZeros(head);
    return isSingleFrame || (box !== null && BARE_FRAMES.has(format)) ? null : format;
  }

  /**
   * Whether a fragment of this MP4 follows the `ftyp`. Some recorders begin each fragment like a file: without an
   * index, or with the same index while the times go on.
   */
  async #goesOn(peekAt: PeekAt): Promise<boolean> {
    const { index, times } = this;
    if (index === null || times === null) return false;
    let isSame = false;
    for (let at = 0; at < GOES_ON_MAX;) {
      const box = await boxAt(peekAt, at);
      if (box === null || at + box.size > GOES_ON_MAX) return false;
      const content = (): Promise<Uint8Array> => peekAt(at + box.headBytes, box.size - box.headBytes);
      if (box.type === 'moof') return !isSame || times.goesOn(await content());
      if (box.type === 'moov') {
        isSame = box.size - box.headBytes === index.length && Buffer.from(index).equals(await content());
        if (!isSame) return false;
      } else if (at > 0 && !BEFORE_FRAGMENT.has(box.type)) return false;
      at += box.size;
    }
    return false;
  }
}
