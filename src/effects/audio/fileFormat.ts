/** Recognizes recordings by their first bytes. For files that the browser cannot play, but the server may decode. */

const HEAD_BYTES = 16;
const PARTIAL = 206;

const text =
  (words: string, at = 0) =>
  (head: Uint8Array): boolean =>
    new TextEncoder().encode(words).every((byte, index) => head[at + index] === byte);
const bytes =
  (...values: number[]) =>
  (head: Uint8Array): boolean =>
    values.every((value, index) => head[index] === value);

/** Whether it starts with a frame of MP2, MP3, or AAC without a container. */
function isFrame([first = 0, second = 0]: Uint8Array): boolean {
  const layer = (second >> 1) & 3;
  return first === 0xff && ((second & 0xf6) === 0xf0 || ((second & 0xe0) === 0xe0 && (layer === 1 || layer === 2)));
}

const BEGINNINGS: readonly ((head: Uint8Array) => boolean)[] = [
  text('RIFF'),
  text('RIFX'),
  text('RF64'),
  text('BW64'),
  text('riff'),
  text('FORM'),
  text('caff'),
  text('OggS'),
  text('fLaC'),
  text('ID3'),
  text('#!AMR'),
  text('ftyp', 4),
  text('moov', 4),
  // Matroska and WebM, Windows Media, an MPEG stream.
  bytes(0x1a, 0x45, 0xdf, 0xa3),
  bytes(0x30, 0x26, 0xb2, 0x75),
  bytes(0, 0, 1, 0xba),
  isFrame,
];

/** Whether a file begins like a format that may hold sound. */
export const beginsAsRecording = (head: Uint8Array): boolean => BEGINNINGS.some((fits) => fits(head));

/** Whether the file at an address begins like a recording. @throws if it cannot be read */
export async function readsAsRecording(url: string, signal: AbortSignal, get: typeof fetch = fetch): Promise<boolean> {
  const answer = await get(url, { headers: { Range: `bytes=0-${HEAD_BYTES - 1}` }, signal });
  if (!answer.ok || !answer.body) throw new Error('The file could not be read.');
  if (answer.status === PARTIAL) return beginsAsRecording(new Uint8Array(await answer.arrayBuffer()));
  // The server sends the whole file: only the first part is needed.
  const reader = answer.body.getReader();
  const { value = new Uint8Array() } = await reader.read();
  await reader.cancel();
  return beginsAsRecording(value);
}
