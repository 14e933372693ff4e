import type { AudioNoteType } from '#contract/transcriptions.ts';
import type { RecordingNote } from '../port.ts';

/** Channels that cancel each other for a shorter time, in seconds, do so by chance. */
const CANCELLED_SECONDS_MIN = 0.5;

/** Adds `more` to the note of a type. */
export const withMore = (notes: readonly RecordingNote[], type: AudioNoteType, more: number): RecordingNote[] => {
  const count = more + (notes.find((note) => note.type === type)?.count ?? 0);
  return [...notes.filter((note) => note.type !== type), ...(count > 0 ? [{ type, count }] : [])];
};

/** Merges the notes of joined recordings; null stands for one that was not decoded. */
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

/** Counts the tracks and parts that were decoded, mixed or left out. */
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

  /** Begins a part, which has tracks of its own. */
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

  /** Adds a time during which `channels` channels or tracks cancelled, so that the louder one was used. */
  cancelled(channels: number, seconds: number): void {
    this.#cancelledSeconds += seconds;
    if (seconds > 0) this.#channels = Math.max(this.#channels, channels);
  }

  /** The notes. Call it after the last part. */
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
