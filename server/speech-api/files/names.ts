/** Longest kept file name, characters. */
const NAME_MAX = 255;

/** Cleans a file name: no path, no control or format characters, at most {@link NAME_MAX}; keeps its extension. */
export function cleanFilename(given: string | undefined): string {
  const base = (given ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = base
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const characters = Array.from(clean);
  if (characters.length === 0 || clean === '.' || clean === '..') return 'file';
  if (characters.length <= NAME_MAX) return clean;
  const ending = /\.[^.]{1,10}$/.exec(clean)?.[0] ?? '';
  return characters.slice(0, NAME_MAX - ending.length).join('') + ending;
}

/** `Content-Disposition` with the name in ASCII for old clients, and the real name (RFC 6266). */
export function dispositionOf(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const TYPES: Readonly<Record<string, string>> = {
  aac: 'audio/aac',
  aif: 'audio/aiff',
  aifc: 'audio/aiff',
  aiff: 'audio/aiff',
  amr: 'audio/amr',
  asf: 'video/x-ms-asf',
  awb: 'audio/amr-wb',
  caf: 'audio/x-caf',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  mka: 'audio/x-matroska',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  w64: 'audio/x-w64',
  wav: 'audio/wav',
  weba: 'audio/webm',
  webm: 'video/webm',
  wma: 'audio/x-ms-wma',
};

/** The media type for players; `application/octet-stream` for an unknown extension. */
export function mediaTypeOf(filename: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return TYPES[ending] ?? 'application/octet-stream';
}
