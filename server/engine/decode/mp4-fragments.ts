/** Moves the times of an MP4's fragments. They go back where its recorder began anew, and ffmpeg drops such fragments. */
import { viewOf } from './bytes.ts';
import { GOES_ON_MAX, UNKNOWN_MAX, boxAt, boxes, inside, timesOf, tracksOf, type Ahead } from './mp4.ts';
import { Clock, RESTART } from './track-output.ts';

interface Track {
  /** Ticks in a second. */
  scale: number;
  /** Ticks of a sample, where its fragment does not say. */
  sampleTicks: number;
  /** Ticks at which the last sample so far begins, and ends. */
  last: number;
  end: number;
}

/** Flags of a track in a fragment, and of its run of samples. */
const HAS_BASE = 1;
const HAS_DESCRIPTION = 2;
const HAS_SAMPLE_TICKS = 8;
const HAS_OFFSET = 1;
const HAS_FIRST_FLAGS = 4;
const OF_EACH_SAMPLE = [0x100, 0x200, 0x400, 0x800];
const TICKS_OF_EACH = 0x100;

const flagsOf = (box: Uint8Array): number => viewOf(box).getUint32(0) & 0xff_ffff;
const u32At = (box: Uint8Array, at: number): number => (at + 4 <= box.length ? viewOf(box).getUint32(at) : 0);

/** The fragments of one MP4 in their order: the times of its sound. As in a decoder of ours, one that overlaps follows on, and a step back of {@link RESTART} counts anew. */
export class FragmentTimes {
  readonly #tracks = new Map<number, Track>();
  readonly #clock = new Clock(0);

  /** @param index the content of its `moov` */
  constructor(index: Uint8Array) {
    const defaults = new Map<number, number>();
    for (const { type, content } of boxes(inside(index, 'mvex')))
      if (type === 'trex') defaults.set(u32At(content, 4), u32At(content, 12));
    for (const sound of tracksOf(index)) {
      const header = inside(sound, 'tkhd');
      const id = u32At(header, header[0] === 1 ? 20 : 12);
      const scale = timesOf(inside(inside(sound, 'mdia'), 'mdhd'))?.scale ?? 0;
      const sampleTicks = defaults.get(id);
      if (scale > 0 && sampleTicks !== undefined)
        this.#tracks.set(id, { scale, sampleTicks, last: -Infinity, end: -Infinity });
    }
  }

  /** Whether there are fragments at all. */
  get areAny(): boolean {
    return this.#tracks.size > 0;
  }

  /** Whether the next fragment begins where the ones before have ended, or later. */
  goesOn(fragment: Uint8Array): boolean {
    return this.#partsOf(fragment).every(({ track, time }) => time === null || this.#at(track, time) > track.last);
  }

  /** Takes the next fragment, the content of its `moof`, and writes into it the time at which it is to be heard. @returns whether that time is new */
  place(fragment: Uint8Array): boolean {
    let isMoved = false;
    for (const { track, time, runs } of this.#partsOf(fragment)) {
      if (time !== null) {
        const { scale } = track;
        const from = track.end / scale;
        const at = readTime(time) / scale;
        if (at + this.#clock.shift - from > RESTART) this.#clock.goBack(at, from);
        if (at + this.#clock.shift - from < -RESTART)
          this.#clock.restart(at, Math.max(...Array.from(this.#tracks.values(), (one) => one.end / one.scale)));
        const ticks = this.#at(track, time);
        const placed = ticks > track.last ? ticks : track.end;
        if (placed !== readTime(time)) {
          writeTime(time, placed);
          isMoved = true;
        }
        track.end = placed;
      }
      for (const { count, all, last } of runs) {
        // A damaged one may have none.
        if (count > 0) track.last = track.end + all - last;
        track.end += all;
      }
    }
    return isMoved;
  }

  #at(track: Track, time: Uint8Array): number {
    return readTime(time) + Math.round(this.#clock.shift * track.scale);
  }

  #partsOf(fragment: Uint8Array): { track: Track; time: Uint8Array | null; runs: Run[] }[] {
    return Array.from(boxes(fragment)).flatMap(({ type, content }) => {
      const header = inside(content, 'tfhd');
      const track = this.#tracks.get(u32At(header, 4));
      if (type !== 'traf' || header.length < 8 || track === undefined) return [];
      const time = inside(content, 'tfdt');
      const sampleTicks = ticksIn(header) ?? track.sampleTicks;
      const runs = Array.from(boxes(content))
        .filter((box) => box.type === 'trun' && box.content.length >= 8)
        .map((box) => runOf(box.content, sampleTicks));
      return [{ track, time: time.length >= (time[0] === 1 ? 12 : 8) ? time : null, runs }];
    });
  }
}

/** The place of the sound (the content of `mdat`) that belongs to a fragment's head, which ends at `from`; `from` where none follows soon. */
export async function soundBehind(ahead: Ahead, from: number): Promise<number> {
  let at = from;
  for (let count = 0; count < UNKNOWN_MAX && at <= GOES_ON_MAX; count += 1) {
    const box = await boxAt(ahead, at);
    if (box?.type === 'mdat') return at + box.headBytes;
    if (box === null || box.type === 'moof') break;
    at += box.size;
  }
  return from;
}

/** Lets the sound of a fragment begin at a place of the file, where the fragment names such places. @param fragment the content of its `moof` */
export function moveSound(fragment: Uint8Array, at: number): void {
  const tracks = Array.from(boxes(fragment)).flatMap(({ type, content }) => {
    const header = inside(content, 'tfhd');
    const run = inside(content, 'trun');
    if (type !== 'traf' || header.length < 16 || (flagsOf(header) & HAS_BASE) === 0 || run.length < 12) return [];
    const from = flagsOf(run) & HAS_OFFSET ? viewOf(run).getInt32(8) : 0;
    return [{ header: viewOf(header), from }];
  });
  const base = (header: DataView): number => Number(header.getBigUint64(8));
  const first = Math.min(...tracks.map(({ header, from }) => base(header) + from));
  for (const { header } of tracks) header.setBigUint64(8, BigInt(base(header) + at - first));
}

/** Ticks of a sample that a track in a fragment tells; null where it does not. */
function ticksIn(header: Uint8Array): number | null {
  const flags = flagsOf(header);
  if ((flags & HAS_SAMPLE_TICKS) === 0) return null;
  return u32At(header, 8 + (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0));
}

interface Run {
  count: number;
  /** Ticks of all samples, and of the last one. */
  all: number;
  last: number;
}

function runOf(run: Uint8Array, sampleTicks: number): Run {
  const flags = flagsOf(run);
  const count = u32At(run, 4);
  if ((flags & TICKS_OF_EACH) === 0) return { count, all: count * sampleTicks, last: sampleTicks };
  const each = 4 * OF_EACH_SAMPLE.filter((flag) => flags & flag).length;
  let at = 8 + (flags & HAS_OFFSET ? 4 : 0) + (flags & HAS_FIRST_FLAGS ? 4 : 0);
  let all = 0;
  let last = 0;
  for (let sample = 0; sample < count && at + each <= run.length; sample += 1, at += each) {
    last = u32At(run, at);
    all += last;
  }
  return { count, all, last };
}

const readTime = (time: Uint8Array): number =>
  time[0] === 1 ? Number(viewOf(time).getBigInt64(4)) : viewOf(time).getUint32(4);

/** Leaves a 32-bit time as it is where the new one does not fit. */
function writeTime(time: Uint8Array, ticks: number): void {
  if (time[0] === 1) viewOf(time).setBigInt64(4, BigInt(ticks));
  else if (ticks <= 0xffff_ffff) viewOf(time).setUint32(4, ticks);
}
