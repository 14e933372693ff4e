import type { Place } from './queue.ts';

/** Writes the progress of a job, one write at a time. Skips places that a later one replaces during a write. */
export class PlaceWriter {
  readonly #write: (place: Place) => Promise<void>;
  #next: Place | undefined;
  #writing: Promise<void> | undefined;

  /** @param write must not reject */
  constructor(write: (place: Place) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when this place, or a later one, is written. */
  write(place: Place): Promise<void> {
    this.#next = place;
    this.#writing ??= this.#run();
    return this.#writing;
  }

  async #run(): Promise<void> {
    for (let place = this.#next; place !== undefined; place = this.#next) {
      this.#next = undefined;
      await this.#write(place);
    }
    this.#writing = undefined;
  }
}
