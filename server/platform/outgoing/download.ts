import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Outgoing } from './client.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The server did not send the file, but answered with an error or a bad redirect. */
export class BadAnswer extends Error {
  /** HTTP status; undefined for a bad redirect. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.name = 'BadAnswer';
    this.status = status;
  }
}

export class TooLarge extends Error {
  constructor() {
    super('The file is too large.');
    this.name = 'TooLarge';
  }
}

export interface DownloadOptions {
  maxBytes: number;
  /** Longest time without a byte, milliseconds. */
  idleMs: number;
  signal: AbortSignal;
}

/**
 * Downloads a URL; returns the bytes as they come. Follows redirects, and checks each like the first URL. The stream
 * fails with TooLarge if there are more bytes than allowed.
 * @throws NotAllowed, BadAnswer, TooLarge, or the network's error
 */
export async function download(outgoing: Outgoing, address: string, options: DownloadOptions): Promise<Readable> {
  let url = new URL(address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await answer(outgoing, url, options);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return body(response, options);
    response.destroy();
    if (!REDIRECTS.has(statusCode)) throw new BadAnswer(`The server answered with status ${statusCode}.`, statusCode);
    if (redirects === MAX_REDIRECTS) throw new BadAnswer(`The server redirected more than ${MAX_REDIRECTS} times.`);
    if (headers.location === undefined || !URL.canParse(headers.location, url.href))
      throw new BadAnswer('The server redirected to no address.');
    url = new URL(headers.location, url);
  }
}

async function answer(outgoing: Outgoing, url: URL, { idleMs, signal }: DownloadOptions): Promise<IncomingMessage> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('The server does not answer.')), idleMs);
  try {
    // This timeout covers the response's headers only; the body has its own.
    return await outgoing.request(url, {
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
      signal: AbortSignal.any([signal, silence.signal]),
    });
  } finally {
    clearTimeout(timer);
  }
}

function body(response: IncomingMessage, { maxBytes, idleMs }: DownloadOptions): Readable {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw new TooLarge();
  }
  // The reader gets errors; this listener is for the time before anybody reads.
  response.on('error', () => {});
  response.setTimeout(idleMs, () => response.destroy(new Error('The server sends no more.')));
  return Readable.from(bounded(response, maxBytes), { objectMode: false });
}

async function* bounded(response: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of response) {
    const bytes: Uint8Array = chunk;
    size += bytes.byteLength;
    if (size > maxBytes) throw new TooLarge();
    yield bytes;
  }
}
