/** Formats told apart by their first bytes. Those in BUILT_IN are decoded here, the others by ffmpeg, if it is installed. */
const FORMATS = {
  wav: 'WAV', mp3: 'MP3', flac: 'FLAC', 'ogg-vorbis': 'Ogg Vorbis', 'ogg-opus': 'Ogg Opus', 'ogg-flac': 'Ogg FLAC',
  aac: 'AAC', mp4: 'MP4 (m4a, mp4, mov)', matroska: 'WebM or Matroska', aiff: 'AIFF', amr: 'AMR', asf: 'Windows Media (wma, asf)', caf: 'Core Audio (caf)', ogg: 'Ogg with another codec', w64: 'Wave64', rf64: 'RF64',
} as const;

export type AudioFormat = keyof typeof FORMATS;
export const BUILT_IN = ['wav', 'mp3', 'flac', 'ogg-vorbis', 'ogg-opus', 'ogg-flac'] as const satisfies readonly AudioFormat[];
export type BuiltInFormat = (typeof BUILT_IN)[number];

export const formatName = (format: AudioFormat): string => FORMATS[format];
export const isBuiltIn = (format: AudioFormat): format is BuiltInFormat => BUILT_IN.some((known) => known === format);

/** Bytes that `sniffFormat` wants to see. */
export const SNIFF_BYTES = 4096;

const MAGIC: readonly (readonly [AudioFormat, offset: number, text: string])[] = [
  ['flac', 0, 'fLaC'],
  ['mp3', 0, 'ID3'],
  ['mp4', 4, 'ftyp'],
  ['matroska', 0, '\x1A\x45\xDF\xA3'],
  ['amr', 0, '#!AMR'],
  ['asf', 0, '\x30\x26\xB2\x75\x8E\x66\xCF\x11'],
  ['caf', 0, 'caff'],
  ['w64', 0, 'riff\x2E\x91\xCF\x11'],
];

const OGG_CODECS: readonly (readonly [AudioFormat, text: string])[] = [['ogg-vorbis', '\x01vorbis'], ['ogg-opus', 'OpusHead'], ['ogg-flac', '\x7FFLAC']];

/** Format of a file by its first bytes (SNIFF_BYTES are enough), null when they are of no audio format known here. */
export function sniffFormat(head: Uint8Array): AudioFormat | null {
  const text = Buffer.from(head).toString('latin1');
  if (text.slice(8, 12) === 'WAVE') {
    if (text.startsWith('RIFF')) return 'wav';
    if (text.startsWith('RF64') || text.startsWith('BW64')) return 'rf64';
  }
  if (text.startsWith('FORM') && /^AIF[FC]/.test(text.slice(8, 12))) return 'aiff';
  if (text.startsWith('OggS')) {
    const segments = head[26] ?? 0;
    return OGG_CODECS.find(([, codec]) => text.startsWith(codec, 27 + segments))?.[0] ?? 'ogg';
  }
  return MAGIC.find(([, offset, magic]) => text.startsWith(magic, offset))?.[0] ?? sniffMpegFrame(head);
}

/** A frame header of MPEG audio or of AAC in ADTS: eleven set bits, then fields of which some values are forbidden. */
function sniffMpegFrame(head: Uint8Array): AudioFormat | null {
  // Some encoders put zeros before the first frame.
  const at = Math.max(0, head.findIndex((byte) => byte !== 0));
  const [first = 0, second = 0, third = 0] = head.subarray(at, at + 3);
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const layer = (second >> 1) & 3;
  if (layer === 0) return (second & 0xf0) === 0xf0 ? 'aac' : null;
  const version = (second >> 3) & 3;
  const bitrate = third >> 4;
  const rate = (third >> 2) & 3;
  return version === 1 || bitrate === 0 || bitrate === 15 || rate === 3 ? null : 'mp3';
}
