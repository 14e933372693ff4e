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

/** What the audio of a session comes as. */
export type Sound = { kind: 'raw'; format: PcmFormat } | { kind: 'container'; format: StreamFormat };

export type OpenDecoder = AudioDecoder['openStream'];

export interface AudioPathEvents {
  /** So many bytes of s16le have become of what came. False where the session is over and they must not go on. */
  heard(bytes: number): boolean;
  failed(reason: LiveRefusal): void;
}

/** The way of a client's audio to the engine. What need not be waited for is `undefined`. */
export interface AudioPath {
  /** Takes bytes as the client cut them. False asks to wait for {@link drained}. */
  write(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
  /** Everything written has reached the engine. */
  settled(): Promise<void> | undefined;
  /** No more audio comes; what was held back has reached the engine. */
  end(): Promise<void> | undefined;
  close(): void;
  /** Why what has come is no audio, as far as it tells. */
  doubt(): LiveRefusal | null;
  /** What was done with the recording, once its end has reached the engine. */
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
  // Samples of one byte can look like letters for long.
  let text = format.bytesPerSample > 1 ? new TextWatch() : null;
  return {
    write(bytes) {
      const verdict = text?.see(bytes);
      if (verdict === 'text') events.failed(refusal.invalidAudio('The stream is not audio: it looks like text.'));
      if (verdict !== undefined) text = null;
      const pcm = converter.push(bytes);
      return !events.heard(pcm.length) || stream.write(pcm);
    },
    drained: () => stream.drained(),
    settled: () => undefined,
    end: () => undefined,
    close: () => undefined,
    doubt: () => null,
    notes: () => [],
  };
}

/** Samples of two bytes or more are never text for so many bytes: all of them would be positive. */
const TEXT_BYTES = 256;
// Line ends and tabs are none of these.
const CONTROL = /(?!\s)\p{Cc}/u;

/** Tells by the first bytes of raw samples whether they are text. */
class TextWatch {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #bytes = 0;

  /** Undefined while that is not clear. */
  see(bytes: Uint8Array): 'text' | 'samples' | undefined {
    try {
      if (CONTROL.test(this.#decoder.decode(bytes.subarray(0, TEXT_BYTES), { stream: true }))) return 'samples';
    } catch {
      // No UTF-8.
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
      audio: (pcm) => (!events.heard(pcm.length) || stream.write(pcm) ? undefined : stream.drained()),
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
 * A format that only this server lacks is named, and what is sent in place of a recording, in the words that files get; what is wrong
 * with the audio itself is not told, as the public API does.
 */
function decodeRefusal(error: EngineError, began: StreamBeginning): LiveRefusal {
  if (error.code === 'unsupported_format') return refusal.invalid(error.message);
  return began === 'other' ? refusal.invalidAudio(error.message, error) : refusalOf(error);
}
