import type { AudioNote } from '#contract/transcriptions.ts';
import type {
  AudioDecoder,
  EngineError,
  StreamBeginning,
  StreamDecoder,
  StreamFormat,
  SttStream,
} from '../../engine/port.ts';
import { PcmConverter, type PcmFormat } from './pcm-formats.ts';
import { refusal, refusalOf, type LiveRefusal } from './refusal.ts';

/** How a session's audio is encoded. */
export type Sound = { kind: 'raw'; format: PcmFormat } | { kind: 'container'; format: StreamFormat };

export type OpenDecoder = AudioDecoder['openStream'];

export interface AudioPathEvents {
  /** The path has decoded this many bytes of s16le. If it returns false, the session is over: drop the bytes. */
  decoded(bytes: number): boolean;
  failed(reason: LiveRefusal): void;
}

/** Converts a client's audio and writes it to the engine. `undefined` instead of a promise means: no need to wait. */
export interface AudioPath {
  /** Takes bytes, cut anywhere. If it returns false, wait for {@link drained} before the next write. */
  write(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
  /** Resolves when everything written has reached the engine. */
  settled(): Promise<void> | undefined;
  /** Ends the audio. Resolves when the rest has reached the engine. */
  end(): Promise<void> | undefined;
  close(): void;
  /** Why the audio received so far has no sound yet, if the decoder can tell. */
  doubt(): LiveRefusal | null;
  /** Notes about the decoding; complete once the end has reached the engine. */
  notes(): readonly AudioNote[];
}

export function openAudioPath(
  sound: Sound,
  stream: SttStream,
  events: AudioPathEvents,
  openDecoder: OpenDecoder,
): AudioPath {
  return sound.kind === 'raw'
    ? rawPath(sound.format, stream, events)
    : containerPath(sound.format, stream, events, openDecoder);
}

function rawPath(format: PcmFormat, stream: SttStream, events: AudioPathEvents): AudioPath {
  const converter = new PcmConverter(format);
  // One-byte samples can look like letters for long, so they are not tested.
  let textDetector = format.bytesPerSample > 1 ? new TextDetector() : null;
  return {
    write(bytes) {
      const verdict = textDetector?.check(bytes);
      if (verdict === 'text') events.failed(refusal.invalidAudio('The stream is not audio: it looks like text.'));
      if (verdict !== undefined) textDetector = null;
      const pcm = converter.push(bytes);
      return !events.decoded(pcm.length) || stream.write(pcm);
    },
    drained: () => stream.drained(),
    settled: () => undefined,
    end: () => undefined,
    close: () => undefined,
    doubt: () => null,
    notes: () => [],
  };
}

/** After this many bytes of text the stream is text: as samples of two bytes or more, all would be positive. */
const TEXT_BYTES = 256;
/** Control characters, except white space such as line ends and tabs. */
const CONTROL_CHARACTER = /(?!\s)\p{Cc}/u;

/** Finds text in place of raw samples, by the first bytes. */
class TextDetector {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #bytes = 0;

  /** Undefined until {@link TEXT_BYTES} bytes have come without proof of samples. */
  check(bytes: Uint8Array): 'text' | 'samples' | undefined {
    try {
      if (CONTROL_CHARACTER.test(this.#decoder.decode(bytes.subarray(0, TEXT_BYTES), { stream: true })))
        return 'samples';
    } catch {
      // Not UTF-8.
      return 'samples';
    }
    this.#bytes += bytes.length;
    return this.#bytes < TEXT_BYTES ? undefined : 'text';
  }
}

function containerPath(
  format: StreamFormat,
  stream: SttStream,
  events: AudioPathEvents,
  openDecoder: OpenDecoder,
): AudioPath {
  let decoder: StreamDecoder | null = null;
  const open = (): StreamDecoder =>
    openDecoder(format, {
      audio: (pcm) => (!events.decoded(pcm.length) || stream.write(pcm) ? undefined : stream.drained()),
      error: (error, began) =>
        events.failed(decodeRefusal(error, format === 'auto' && began === 'unknown' ? 'other' : began)),
    });
  return {
    write(bytes) {
      decoder ??= open();
      return decoder.push(bytes);
    },
    drained: () => decoder?.drained() ?? Promise.resolve(),
    settled: () => decoder?.settled(),
    end: () => decoder?.end(),
    close: () => decoder?.close(),
    doubt: () => {
      const doubt = decoder?.doubt() ?? null;
      return doubt && decodeRefusal(doubt, 'other');
    },
    notes: () => decoder?.notes() ?? [],
  };
}

/**
 * Passes the decoder's message on if this server lacks the format, or if the stream is no recording at all (the same
 * words as for files). For damaged audio the message stays general, as in the public API.
 */
function decodeRefusal(error: EngineError, began: StreamBeginning): LiveRefusal {
  if (error.code === 'unsupported_format') return refusal.invalid(error.message);
  return began === 'other' ? refusal.invalidAudio(error.message, error) : refusalOf(error);
}
