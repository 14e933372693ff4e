import type { AudioNoteType } from '#contract/transcriptions.ts';
import type { RecordingNote } from '../port.ts';

/** A stretch in which channels cancel each other by chance is shorter, seconds. */
const CANCELLED_SECONDS_MIN = 0.5;

/** Adds what is known beside the decoder to its notes. */
export const withMore = (notes: readonly RecordingNote[], type: AudioNoteType, more: number): RecordingNote[] => {
  const count = more + (notes.find((note) => note.type === type)?.count ?? 0);
  return [...notes.filter((note) => note.type !== type), ...(count > 0 ? [{ type, count }] : [])];
};

/** The notes of recordings that were joined, from those of each, null where one was not heard. */
export function joinedNotes(parts: readonly (readonly RecordingNote[] | null)[]): RecordingNote[] {
  const counts = (type: AudioNoteType, least = 0): number[] =>
    parts.map((notes) => (notes === null ? 0 : Math.max(least, notes.find((note) => note.type === type)?.count ?? 0)));
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const most = (type: AudioNoteType): RecordingNote => ({ type, count: Math.max(0, ...counts(type)) });
  const heard = sum(counts('parts_joined', 1));
  const notHeard = parts.filter((notes) => notes === null).length;
  const all: RecordingNote[] = [
    { type: 'parts_joined', count: heard > 1 ? heard : 0 },
    { type: 'parts_left_out', count: sum(counts('parts_left_out')) + notHeard },
    most('tracks_mixed'),
    most('tracks_left_out'),
    most('channels_not_mixed'),
  ];
  return all.filter(({ count }) => count > 0);
}

/** Counts what was done with a recording. */
export class Notes {
  #part = 0;
  readonly #parts = new Set<number>();
  readonly #partsLeftOut = new Set<number>();
  readonly #tracks = new Set<number>();
  #tracksLeftOut = 0;
  #mixed = 0;
  #mostLeftOut = 0;
  #channels = 0;
  #cancelledSeconds = 0;

  /** A part begins: its tracks are others. */
  begin(part: number): void {
    this.#mixed = Math.max(this.#mixed, this.#tracks.size);
    this.#mostLeftOut = Math.max(this.#mostLeftOut, this.#tracksLeftOut);
    this.#part = part;
    this.#tracks.clear();
    this.#tracksLeftOut = 0;
  }

  hear(track: number): void {
    this.#parts.add(this.#part);
    this.#tracks.add(track);
  }

  leaveOut(what: 'track' | 'part'): void {
    if (what === 'part') this.#partsLeftOut.add(this.#part);
    else this.#tracksLeftOut += 1;
  }

  /** The louder of so many channels was taken for so long. */
  cancelled(channels: number, seconds: number): void {
    this.#cancelledSeconds += seconds;
    if (seconds > 0) this.#channels = Math.max(this.#channels, channels);
  }

  /** Once the last part has ended. */
  list(): RecordingNote[] {
    this.begin(this.#part);
    const counts: RecordingNote[] = [
      { type: 'parts_joined', count: this.#parts.size > 1 ? this.#parts.size : 0 },
      { type: 'parts_left_out', count: this.#partsLeftOut.size },
      { type: 'tracks_mixed', count: this.#mixed > 1 ? this.#mixed : 0 },
      { type: 'tracks_left_out', count: this.#mostLeftOut },
      { type: 'channels_not_mixed', count: this.#cancelledSeconds >= CANCELLED_SECONDS_MIN ? this.#channels : 0 },
    ];
    return counts.filter(({ count }) => count > 0);
  }
}
