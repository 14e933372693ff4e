import { ByteReader } from './bytes.ts';
import { NOTHING, PART_ERRORS, PARTS_MAX, type PlacedBlock, type ThroughFfmpeg } from './codec.ts';
import { seekFrames, tagAhead, withinPart } from './joins.ts';
import { decodeMatroska } from './matroska.ts';
import { FRAMES_WITHIN_BYTES, FRAME_HEADER_BYTES, IN_A_ROW, frameAt } from './mpeg-frames.ts';
import { ac3OrTsAhead } from './rows.ts';
import { EngineError } from '../port.ts';

/**
 * AAC in ADTS. Finds the frames, and decodes each stretch of one kind as a part, with an ffmpeg of its own. Counts a
 * stretch that does not decode to its end as left out.
 * @throws EngineError if no stretch gives sound
 */
export const decodeAac = (bytes: ByteReader, through: ThroughFfmpeg): AsyncIterable<PlacedBlock> =>
  withinPart(bytes, (inside) => decodeStretches(inside, through));

async function* decodeStretches(bytes: ByteReader, through: ThroughFfmpeg): AsyncGenerator<PlacedBlock> {
  let failure: unknown = new EngineError('invalid_audio', 'The audio is damaged and cannot be decoded.');
  let isHeard = false;
  async function* noteFailure(sound: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* sound;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  // Wait for the first header only, not for three: a live stream sounds sooner, and may have fewer frames.
  const first = frameAt(await bytes.peek(FRAME_HEADER_BYTES), 0);
  let next = first?.format === 'aac' ? first : await seekFrames(bytes, { within: FRAMES_WITHIN_BYTES });
  for (let part = 0; next?.format === 'aac'; part += 1) {
    if (part >= PARTS_MAX) return yield { ...NOTHING, part, leftOut: 'part' };
    const stretch = new Stretch(bytes, next.kind);
    const frames = stretch.frames();
    const sound = noteFailure(through(frames));
    let isPartHeard = false;
    let isCut = false;
    try {
      for await (const block of decodeMatroska(new ByteReader(sound))) {
        isPartHeard ||= block.channelData.length > 0;
        yield { ...block, part };
      }
    } catch (error) {
      if (!(error instanceof EngineError && PART_ERRORS.has(error.code))) throw error;
      isCut = isPartHeard;
    } finally {
      await sound.return(undefined);
    }
    for await (const _ of frames) isCut = true;
    isHeard ||= isPartHeard;
    // Fewer than IN_A_ROW frames without sound only looked like frames: nothing is left out.
    if (isCut || (!isPartHeard && stretch.count >= IN_A_ROW)) yield { ...NOTHING, part, leftOut: 'part' };
    next = (await ac3OrTsAhead(bytes)) === null ? await seekFrames(bytes) : null;
  }
  // If MP3 follows (`next`), what looked like AAC was none: the next decoder goes on.
  if (!isHeard && next === null) throw failure;
}

/** Frames of one kind, up to where {@link IN_A_ROW} of another kind follow. Skips tags and bytes that are no frames. */
export class Stretch {
  readonly #bytes: ByteReader;
  readonly #kind: number;
  /** Frames so far. */
  count = 0;

  constructor(bytes: ByteReader, kind: number) {
    this.#bytes = bytes;
    this.#kind = kind;
  }

  /** Yields pieces of whole frames, as many as are at hand. Only the last frame of the stream may be cut. */
  async *frames(): AsyncGenerator<Uint8Array> {
    for (;;) {
      let data = await this.#bytes.peek(FRAME_HEADER_BYTES);
      let end = 0;
      for (let next = this.#bytesOfFrame(data, 0); next > 0; next = this.#bytesOfFrame(data, end)) {
        if (end > 0 && end + next > data.length) break;
        if (next > data.length) data = await this.#bytes.peek(next);
        end = Math.min(end + next, data.length);
        this.count += 1;
      }
      const piece = await this.#bytes.take(end);
      if (piece !== null && end > 0) yield piece;
      else if (!(await this.#goOn())) return;
    }
  }

  /** Length of the frame at `at`; 0 if there is none of this kind. */
  #bytesOfFrame(data: Uint8Array, at: number): number {
    const frame = frameAt(data, at);
    return frame?.format === 'aac' && frame.kind === this.#kind ? frame.bytes : 0;
  }

  /** Skips a tag, or skips to the next frames; false if these are of another kind, or at the end. */
  async #goOn(): Promise<boolean> {
    const tag = await tagAhead(this.#bytes);
    if (tag > 0) return this.#bytes.skip(tag);
    if ((await ac3OrTsAhead(this.#bytes)) !== null) return false;
    const next = await seekFrames(this.#bytes, { known: this.#kind });
    return next?.format === 'aac' && next.kind === this.#kind;
  }
}
