/**
 * Corrects the times of an MP4's fragments. They go back if the recorder restarted, and ffmpeg would drop such
 * fragments.
 */
import { viewOf } from './bytes.ts';
import { GOES_ON_MAX, UNKNOWN_MAX, boxAt, boxes, contentOf, timesOf, tracksOf, type PeekAt } from './mp4.ts';
import { Clock, RESTART } from './track-output.ts';

interface Track {
  /** Ticks in a second. */
  scale: number;
  /** Default duration of a sample, ticks. */
  sampleTicks: number;
  /** Begin and end of the last sample so far, ticks. */
  last: number;
  end: number;
}

/** Flags of a fragment's track (`tfhd`), then of its run of samples (`trun`). */
const HAS_BASE = 1;
const HAS_DESCRIPTION = 2;
const HAS_SAMPLE_TICKS = 8;
const HAS_OFFSET = 1;
const HAS_FIRST_FLAGS = 4;
const OF_EACH_SAMPLE = [0x100, 0x200, 0x400, 0x800];
const TICKS_OF_EACH = 0x100;

const flagsOf = (box: Uint8Array): number => viewOf(box).getUint32(0) & 0xff_ffff;
const u32At = (box: Uint8Array, at: number): number => (at + 4 <= box.length ? viewOf(box).getUint32(at) : 0);

/**
 * The times of an MP4's fragments, in their order. As in {@link Clock}, a fragment that overlaps follows on, and a step
 * back of more than {@link RESTART} seconds restarts the clock.
 */
export class FragmentTimes {
  readonly #tracks = new Map<number, Track>();
  readonly #clock = new Clock(0);

  /** @param index the content of its `moov` */
  constructor(index: Uint8Array) {
    const defaults = new Map<number, number>();
    for (const { type, content } of boxes(contentOf(index, 'mvex')))
      if (type === 'trex') defaults.set(u32At(content, 4), u32At(content, 12));
    for (const sound of tracksOf(index)) {
      const header = contentOf(sound, 'tkhd');
      const id = u32At(header, header[0] === 1 ? 20 : 12);
      const scale = timesOf(contentOf(contentOf(sound, 'mdia'), 'mdhd'))?.scale ?? 0;
      const sampleTicks = defaults.get(id);
      if (scale > 0 && sampleTicks !== undefined)
        this.#tracks.set(id, { scale, sampleTicks, last: -Infinity, end: -Infinity });
    }
  }

  /** Whether the MP4 is in fragments. */
  get exist(): boolean {
    return this.#tracks.size > 0;
  }

  /** Whether each track of the next fragment begins later than the track's last sample. */
  goesOn(fragment: Uint8Array): boolean {
    return this.#partsOf(fragment).every(({ track, time }) => time === null || this.#at(track, time) > track.last);
  }

  /** Takes the content of the next `moof`, and writes the corrected times into it. @returns whether any time changed */
  place(fragment: Uint8Array): boolean {
    let isChanged = false;
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
          isChanged = true;
        }
        track.end = placed;
      }
      for (const { count, all, last } of runs) {
        // A damaged run may be empty.
        if (count > 0) track.last = track.end + all - last;
        track.end += all;
      }
    }
    return isChanged;
  }

  #at(track: Track, time: Uint8Array): number {
    return readTime(time) + Math.round(this.#clock.shift * track.scale);
  }

  #partsOf(fragment: Uint8Array): { track: Track; time: Uint8Array | null; runs: Run[] }[] {
    return Array.from(boxes(fragment)).flatMap(({ type, content }) => {
      const header = contentOf(content, 'tfhd');
      const track = this.#tracks.get(u32At(header, 4));
      if (type !== 'traf' || header.length < 8 || track === undefined) return [];
      const time = contentOf(content, 'tfdt');
      const sampleTicks = ticksIn(header) ?? track.sampleTicks;
      const runs = Array.from(boxes(content))
        .filter((box) => box.type === 'trun' && box.content.length >= 8)
        .map((box) => runOf(box.content, sampleTicks));
      return [{ track, time: time.length >= (time[0] === 1 ? 12 : 8) ? time : null, runs }];
    });
  }
}

/**
 * Offset of the sound (the content of the `mdat`) behind a `moof` that ends at `from`; `from` if no `mdat` follows
 * soon.
 */
export async function soundBehind(peekAt: PeekAt, from: number): Promise<number> {
  let at = from;
  for (let count = 0; count < UNKNOWN_MAX && at <= GOES_ON_MAX; count += 1) {
    const box = await boxAt(peekAt, at);
    if (box?.type === 'mdat') return at + box.headBytes;
    if (box === null || box.type === 'moof') break;
    at += box.size;
  }
  return from;
}

/**
 * Moves a fragment's base offsets, if it has any, so that its sound begins at `at`.
 * @param fragment the content of its `moof`
 */
export function moveSound(fragment: Uint8Array, at: number): void {
  const tracks = Array.from(boxes(fragment)).flatMap(({ type, content }) => {
    const header = contentOf(content, 'tfhd');
    const run = contentOf(content, 'trun');
    if (type !== 'traf' || header.length < 16 || (flagsOf(header) & HAS_BASE) === 0 || run.length < 12) return [];
    const from = flagsOf(run) & HAS_OFFSET ? viewOf(run).getInt32(8) : 0;
    return [{ header: viewOf(header), from }];
  });
  const base = (header: DataView): number => Number(header.getBigUint64(8));
  const first = Math.min(...tracks.map(({ header, from }) => base(header) + from));
  for (const { header } of tracks) header.setBigUint64(8, BigInt(base(header) + at - first));
}

/** Default duration of a sample in this fragment (`tfhd`), ticks; null if it has none. */
function ticksIn(header: Uint8Array): number | null {
  const flags = flagsOf(header);
  if ((flags & HAS_SAMPLE_TICKS) === 0) return null;
  return u32At(header, 8 + (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0));
}

interface Run {
  count: number;
  /** Duration of all samples, and of the last one, ticks. */
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

/** Writes a time, unless it is too large for a 32-bit field. */
function writeTime(time: Uint8Array, ticks: number): void {
  if (time[0] === 1) viewOf(time).setBigInt64(4, BigInt(ticks));
  else if (ticks <= 0xffff_ffff) viewOf(time).setUint32(4, ticks);
}
