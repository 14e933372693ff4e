import { joined, viewOf } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { NOTHING, headerNonsense } from './codec.ts';
import type { Track } from './matroska-track.ts';
import { checkShape, pcmReader } from './pcm.ts';
import type { SampleLayout } from './pcm.ts';

/** The decoder of one track; takes its frames one after the other. */
export interface Packets {
  decode(frame: Uint8Array): Promise<PcmBlock> | PcmBlock;
  flush(): Promise<PcmBlock> | PcmBlock;
}

const flushNothing = (): PcmBlock => NOTHING;
const OPUS_RATE = 48_000;
/** The library's buffer for each channel: 120 ms at 256 kbit/s. */
const OPUS_FRAME_BYTES = 3840;

const CODECS = /^A_(?:OPUS|VORBIS|FLAC|MPEG\/L[123]|PCM\/(?:INT\/(?:LIT|BIG)|FLOAT\/IEEE))$/;

/** Whether there is a decoder for the codec of a track. */
export const canOpen = ({ codec }: Track): boolean => CODECS.test(codec);

/** Opens the decoder of a track; null if no built-in one knows its codec. @throws EngineError */
export async function openPackets(track: Track): Promise<Packets | null> {
  checkShape(track.sampleRate, track.channels);
  switch (track.codec) {
    case 'A_OPUS':
      return openOpus(track);
    case 'A_VORBIS':
      return openVorbis(track);
    case 'A_FLAC':
      return openFlac(track);
    case 'A_MPEG/L3':
    case 'A_MPEG/L2':
    case 'A_MPEG/L1':
      return openMpeg();
    case 'A_PCM/INT/LIT':
      return openPcm(track, { kind: track.bits === 8 ? 'uint' : 'int', littleEndian: true });
    case 'A_PCM/INT/BIG':
      return openPcm(track, { kind: 'int', littleEndian: false });
    case 'A_PCM/FLOAT/IEEE':
      return openPcm(track, { kind: 'float', littleEndian: true });
    default:
      return null;
  }
}

function openPcm({ bits, channels, sampleRate }: Track, coding: Pick<SampleLayout, 'kind' | 'littleEndian'>): Packets {
  return { decode: pcmReader({ ...coding, width: Math.ceil(bits / 8), channels, sampleRate }), flush: flushNothing };
}

async function openMpeg(): Promise<Packets> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  return { decode: (frame) => mpeg.decode(frame), flush: flushNothing };
}

/** The track's setup is an OpusHead (RFC 7845): channels, pre-skip, channel mapping. */
async function openOpus({ setup }: Track): Promise<Packets> {
  const { OpusDecoder } = await import('opus-decoder');
  const channels = setup[9] ?? 1;
  const mapped = (setup[18] ?? 0) !== 0;
  if (setup.length > 0 && setup.length < (mapped ? 21 + channels : 19)) throw headerNonsense('Opus', 'it is cut short');
  checkShape(OPUS_RATE, channels);
  if (!mapped && channels > 2) throw headerNonsense('Opus', `${channels} channels without their order`);
  const opus = new OpusDecoder({
    channels,
    preSkip: setup.length > 0 ? viewOf(setup).getUint16(10, true) : 0,
    streamCount: mapped ? (setup[19] ?? 1) : 1,
    coupledStreamCount: mapped ? (setup[20] ?? 0) : channels - 1,
    channelMappingTable: mapped ? Array.from(setup.subarray(21, 21 + channels)) : channels === 2 ? [0, 1] : [0],
  });
  await opus.ready;
  const largest = OPUS_FRAME_BYTES * channels;
  return { decode: (frame) => (frame.length > largest ? NOTHING : opus.decodeFrame(frame)), flush: flushNothing };
}

async function openFlac({ setup }: Track): Promise<Packets> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac');
  const flac = new FLACDecoder();
  await flac.ready;
  await flac.decodeFrames([setup]);
  return { decode: (frame) => flac.decodeFrames([frame]), flush: flushNothing };
}

/** The library takes Ogg only, so each frame gets an Ogg page of its own. */
async function openVorbis({ setup }: Track): Promise<Packets> {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis');
  const vorbis = new OggVorbisDecoder();
  await vorbis.ready;
  const page = pageWriter();
  for (const header of vorbisHeaders(setup)) await vorbis.decode(page(header));
  return { decode: (frame) => vorbis.decode(page(frame)), flush: () => vorbis.flush() };
}

/**
 * Splits the setup into Vorbis's three headers. It is laced: their number less one, the first two sizes, the headers.
 */
function vorbisHeaders(setup: Uint8Array): Uint8Array[] {
  let at = 1;
  const size = (): number => {
    let sum = 0;
    let byte = 255;
    while (byte === 255) {
      byte = setup[at] ?? 0;
      sum += byte;
      at += 1;
    }
    return sum;
  };
  const [first, second] = [size(), size()];
  if (setup[0] !== 2 || at + first + second >= setup.length) throw headerNonsense('Vorbis', 'it is cut short');
  return [
    setup.subarray(at, at + first),
    setup.subarray(at + first, at + first + second),
    setup.subarray(at + first + second),
  ];
}

const PAGE_BYTES_MAX = 255 * 255;

/** Writes Ogg pages without positions and checksums; the decoder ignores these. */
function pageWriter(): (packet: Uint8Array) => Uint8Array {
  let number = 0;
  const page = (part: Uint8Array, continued: boolean, ends: boolean): Uint8Array => {
    const segments = new Uint8Array(Math.floor(part.length / 255) + (ends ? 1 : 0)).fill(255);
    if (ends) segments[segments.length - 1] = part.length % 255;
    const head = Buffer.alloc(27);
    head.write('OggS', 'latin1');
    head[5] = (continued ? 1 : 0) | (number === 0 ? 2 : 0);
    head.writeUInt32LE(1, 14);
    head.writeUInt32LE(number, 18);
    head[26] = segments.length;
    number += 1;
    return joined([head, segments, part]);
  };
  return (packet) => {
    const pages: Uint8Array[] = [];
    let at = 0;
    // A page holds less than 65 kB. A segment of fewer than 255 bytes ends the packet.
    for (; packet.length - at >= PAGE_BYTES_MAX; at += PAGE_BYTES_MAX)
      pages.push(page(packet.subarray(at, at + PAGE_BYTES_MAX), at > 0, false));
    pages.push(page(packet.subarray(at), at > 0, true));
    // The decoder holds a page back until the next one comes, so add an empty one.
    pages.push(page(new Uint8Array(0), false, false));
    return joined(pages);
  };
}
