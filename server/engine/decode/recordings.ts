import { isBuiltIn, type AudioFormat, type BuiltInFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { FFMPEG_MAX, NOTHING, OF_A_PART, PARTS_MAX, type PlacedBlock, type ThroughFfmpeg } from './codec.ts';
import { loadDecoder } from './decoders.ts';
import { BARE, Ends } from './ends.ts';
import { nextRecording } from './joins.ts';
import { EngineError } from '../port.ts';

/**
 * Decodes a recording, and those of any format that were joined to it, as its parts; says which of them are left out.
 * @param through where there is ffmpeg
 * @throws EngineError, and whatever a library throws, where the first one gives nothing
 */
export async function* decodeRecordings(
  source: AsyncIterable<Uint8Array>,
  first: BuiltInFormat,
  through?: ThroughFfmpeg,
): AsyncGenerator<PlacedBlock> {
  const ends = new Ends();
  const bytes = new ByteReader(ends.passing(source));
  const limited = through && atMost(FFMPEG_MAX, through);
  let isHeard = false;
  let mayHide = false;
  let part = -1;
  for (let format: AudioFormat | null = first; format !== null;) {
    ends.meet(format);
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
        if (!isHeard || (error instanceof EngineError && !OF_A_PART.has(error.code))) throw error;
        yield { ...NOTHING, part, leftOut: 'part' };
      }
    } else yield { ...NOTHING, part, leftOut: 'part' };
    // Behind the others, such are found wherever they begin.
    mayHide = isRead && !BARE.has(format);
    format = await nextRecording(bytes, isRead);
  }
  if (mayHide && ends.hideRecording) yield { ...NOTHING, part: part + 1, leftOut: 'part' };
}

function atMost(count: number, through: ThroughFfmpeg): ThroughFfmpeg {
  let started = 0;
  return async function* counted(aac) {
    started += 1;
    if (started > count) throw new EngineError('invalid_audio', 'The recording has too many parts of AAC.');
    yield* through(aac);
  };
}
