import { isBuiltIn, type AudioFormat, type BuiltInFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { FFMPEG_MAX, NOTHING, PART_ERRORS, PARTS_MAX, type PlacedBlock, type ThroughFfmpeg } from './codec.ts';
import { loadDecoder } from './decoders.ts';
import { MAY_HOLD_BARE_FRAMES, Tail } from './ends.ts';
import { nextRecording } from './joins.ts';
import { EngineError } from '../port.ts';

/**
 * Decodes a recording and those joined to it, of any format, as parts. Marks the parts that it leaves out.
 * @param through if ffmpeg is installed
 * @throws EngineError or a library's error, if the first recording gives no sound
 */
export async function* decodeRecordings(
  source: AsyncIterable<Uint8Array>,
  first: BuiltInFormat,
  through?: ThroughFfmpeg,
): AsyncGenerator<PlacedBlock> {
  const tail = new Tail();
  const bytes = new ByteReader(tail.watch(source));
  const limited = through && atMost(FFMPEG_MAX, through);
  let isHeard = false;
  let mayHideRecording = false;
  let part = -1;
  for (let format: AudioFormat | null = first; format !== null;) {
    tail.addFormat(format);
    const before = part + 1;
    part = before;
    if (part >= PARTS_MAX) return yield { ...NOTHING, part, leftOut: 'part' };
    let isRead = false;
    if (isBuiltIn(format)) {
      try {
        const decode = await loadDecoder(format, limited);
        isRead = true;
        for await (const block of decode(bytes)) {
          part = before + (block.part ?? 0);
          isHeard ||= block.channelData.length > 0;
          yield { ...block, part };
        }
      } catch (error) {
        if (!isHeard || (error instanceof EngineError && !PART_ERRORS.has(error.code))) throw error;
        yield { ...NOTHING, part, leftOut: 'part' };
      }
    } else yield { ...NOTHING, part, leftOut: 'part' };
    // In all other cases the search for the next recording finds bare frames.
    mayHideRecording = isRead && !MAY_HOLD_BARE_FRAMES.has(format);
    format = await nextRecording(bytes, isRead);
  }
  if (mayHideRecording && tail.hidesRecording) yield { ...NOTHING, part: part + 1, leftOut: 'part' };
}

function atMost(count: number, through: ThroughFfmpeg): ThroughFfmpeg {
  let started = 0;
  return async function* counted(aac) {
    started += 1;
    if (started > count) throw new EngineError('invalid_audio', 'The recording has too many parts of AAC.');
    yield* through(aac);
  };
}
