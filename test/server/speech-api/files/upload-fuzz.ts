/** Uploads as no client should send them: random forms, damaged on the way, in random framing, left early. */
import net from 'node:net';
import fc from 'fast-check';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { weighted } from '../live/weighted.ts';

/** One request at `POST /v1/files`. */
export interface WildUpload {
  contentType: string;
  body: Buffer;
  /** How the body is delimited: `short` promises more bytes than come, `long` fewer. */
  framing: 'length' | 'chunked' | 'open' | 'short' | 'long';
  /** What the client does once everything is sent. `wait` only where the request is whole. */
  ending: 'wait' | 'half-close' | 'reset';
  /** Bytes per write. */
  pieceBytes: number;
  /** Size of the file when the server has to take the upload; undefined when it may refuse it. */
  mustStore: number | undefined;
}

/** Answered with a status, closed without one, left by the client itself, or neither in time. */
export type Outcome = { kind: 'answered'; status: number; body: string } | { kind: 'closed' | 'left' | 'hung' };

const REFERENCE = 'client_reference_id';
const printable = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const boundary = weighted(
  [4, fc.stringMatching(/^[A-Za-z0-9'()+_,./:=?-]{1,70}$/)],
  [1, fc.constantFrom('-', '--', '-----', 'b', 'x'.repeat(70), 'x'.repeat(200))],
);
const bytesOf = (...texts: string[]): fc.Arbitrary<Uint8Array> =>
  fc.constantFrom(...texts).map((text) => Buffer.from(text));
const content = weighted<Uint8Array>(
  [6, fc.uint8Array({ maxLength: 600 })],
  [2, bytesOf('', '\r\n', '\r\n--', '--', '\r', '\r\n\r\n', 'RIFF')],
  [1, fc.integer({ min: 60_000, max: 400_000 }).map((bytes) => Buffer.alloc(bytes, '\r\n--'))],
);
const FILENAMES = ['a.wav', '', '../../etc/passwd', 'C:\\x\\y.mp3', '\u202ea.wav', 'х'.repeat(300), '%22%0d%0a', '.'];
const HEADERS = [
  'content-type: audio/wav\r\n',
  'content-type: ;;\r\n',
  'content-transfer-encoding: base64\r\n',
  ': \r\n',
  'a\r\n',
  `x: ${'y'.repeat(17_000)}\r\n`,
  'x: y\r\n'.repeat(2100),
];
const part = fc.record({
  name: weighted(
    [4, fc.constant('file')],
    [2, fc.constantFrom(REFERENCE, 'other', '', '__proto__', 'file[]')],
    [1, printable],
  ),
  filename: fc.option(fc.oneof(fc.constantFrom(...FILENAMES, 'nul\0l'), fc.string({ unit: 'binary', maxLength: 30 })), {
    freq: 4,
  }),
  headers: weighted([3, fc.constant('')], [1, fc.constantFrom(...HEADERS)]),
  content,
});
type Part = typeof part extends fc.Arbitrary<infer T> ? T : never;

/** Quotes and line ends the way browsers do. */
const escaped = (name: string): string => name.replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');

const encode = (parts: readonly Part[], mark: string, closed: boolean): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, filename, headers, content: bytes }) => [
      Buffer.from(
        `--${mark}\r\ncontent-disposition: form-data; name="${escaped(name)}"${filename === null ? '' : `; filename="${escaped(filename)}"`}\r\n${headers}\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(closed ? `--${mark}--\r\n` : ''),
  ]);

const damage = fc.record({
  kind: fc.constantFrom('cut', 'flip', 'insert', 'drop', 'repeat'),
  // As likely here as there: `fc.double` is all but zero half the time.
  at: fc.noBias(fc.integer({ min: 0, max: 1000 })).map((permille) => permille / 1000),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(body: Buffer, { kind, at, bytes }: Damage): Buffer {
  const offset = Math.floor(at * body.length);
  const [head, tail] = [body.subarray(0, offset), body.subarray(offset)];
  switch (kind) {
    case 'cut':
      return head;
    case 'flip':
      return Buffer.concat([
        head,
        Buffer.from(tail.subarray(0, bytes.length).map((byte, index) => byte ^ (bytes[index] ?? 0))),
        tail.subarray(bytes.length),
      ]);
    case 'insert':
      return Buffer.concat([head, bytes, tail]);
    case 'drop':
      return Buffer.concat([head, tail.subarray(bytes.length)]);
    case 'repeat':
      return Buffer.concat([head, tail.subarray(0, 2000), tail]);
  }
}

const framing = weighted<WildUpload['framing']>(
  [6, fc.constant('length')],
  [4, fc.constantFrom('chunked', 'open', 'short', 'long')],
);
const ending = weighted<WildUpload['ending']>([4, fc.constant('wait')], [2, fc.constantFrom('half-close', 'reset')]);
const pieceBytes = fc.constantFrom(1, 7, 100, 4096, 65_536, 1 << 20);

/** The size of the file that a sound form carries; undefined when the form itself is refused. */
function storedSize(parts: readonly Part[]): number | undefined {
  // Control characters break a header, and of backslashes every parser has its own idea.
  const plain = parts.every(
    ({ name, filename, headers }) =>
      (headers === '' || headers.startsWith('content-type: audio')) && !/[\p{Cc}\\]/u.test(name + (filename ?? '')),
  );
  const file = parts.find(({ name, filename }) => name === 'file' && filename);
  const reference = parts.some(({ name }) => name === REFERENCE);
  return plain && !reference && parts.filter(({ filename }) => filename !== null).length <= 2
    ? file?.content.length
    : undefined;
}

/** What is sent, without the way that it is; a file's size only where the form is sound. */
type Wild = Pick<WildUpload, 'contentType' | 'body' | 'mustStore'>;

/** A form of some parts, mostly damaged. */
const wildForm = fc
  .record({
    parts: fc.array(part, { maxLength: 5 }),
    mark: boundary,
    closed: fc.integer({ min: 0, max: 9 }).map((die) => die > 0),
    damages: fc.oneof(fc.constant<Damage[]>([]), fc.array(damage, { minLength: 1, maxLength: 3 })),
  })
  .map(({ parts, mark, closed, damages }): Wild => {
    const clear = mark.length <= 70 && parts.every(({ content: bytes }) => !Buffer.from(bytes).includes(`--${mark}`));
    return {
      contentType: `multipart/form-data; boundary="${mark}"`,
      body: damages.reduce(damaged, encode(parts, mark, closed)),
      mustStore: closed && clear && damages.length === 0 ? storedSize(parts) : undefined,
    };
  });

const TYPES = [
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=b',
  'multipart/mixed; boundary=b',
  'application/x-www-form-urlencoded',
  'application/json',
  '',
];
/** No form at all: any bytes under any type. */
const wildBytes = fc
  .tuple(
    fc.oneof(fc.constantFrom(...TYPES), printable),
    fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      bytesOf('--b', '--b--', '--b\r\n', '--b\r\n\r\n\r\n--b--', 'file=x&file=y'),
    ),
  )
  .map(([contentType, bytes]): Wild => ({ contentType, body: Buffer.from(bytes), mustStore: undefined }));

export const wildUpload = fc
  .tuple(weighted<Wild>([5, wildForm], [1, wildBytes]), fc.record({ framing, ending, pieceBytes }))
  .map(([wild, how]): WildUpload => {
    const whole = how.framing === 'length' || how.framing === 'chunked';
    return {
      ...wild,
      ...how,
      ending: whole || how.ending !== 'wait' ? how.ending : 'half-close',
      mustStore: whole && how.ending === 'wait' ? wild.mustStore : undefined,
    };
  });

function* wire({ body, framing: how, pieceBytes: size }: WildUpload): Generator<Buffer> {
  // A write per byte of something long would take the time of many other tries.
  const step = Math.max(size, Math.ceil(body.length / 400));
  for (let at = 0; at < body.length; at += step) {
    const piece = body.subarray(at, at + step);
    yield how === 'chunked' || how === 'open'
      ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
      : piece;
  }
  if (how === 'chunked') yield Buffer.from('0\r\n\r\n');
}

function head(
  { body, framing: how, contentType }: WildUpload,
  { host, authorization }: { host: string; authorization: string },
): string {
  const length = { length: body.length, short: body.length + 100, long: Math.max(0, body.length - 10) };
  const delimiter =
    how === 'chunked' || how === 'open' ? 'transfer-encoding: chunked' : `content-length: ${length[how]}`;
  return `POST /v1/files HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\ncontent-type: ${contentType}\r\n${delimiter}\r\nconnection: close\r\n\r\n`;
}

/** Sends it over a socket of its own. @param patienceMs how long the server may be silent after the last byte */
export function sendWild(
  upload: WildUpload,
  { url, authorization, patienceMs }: { url: string; authorization: string; patienceMs: number },
): Promise<Outcome> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    let impatience: NodeJS.Timeout | undefined;
    const settle = (outcome: Outcome): void => {
      clearTimeout(impatience);
      socket.destroy();
      resolve(outcome);
    };
    const answer = (): Outcome => {
      const [, status, body] =
        /^HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n([^]*)$/.exec(Buffer.concat(received).toString('utf8')) ?? [];
      return status === undefined ? { kind: 'closed' } : { kind: 'answered', status: Number(status), body: body ?? '' };
    };
    // A refusal before the last byte closes the connection under the writes.
    socket.on('error', () => {});
    socket.on('data', (bytes) => received.push(bytes));
    socket.on('end', () => settle(answer()));
    socket.on('close', () => settle(answer()));
    const speak = async (): Promise<void> => {
      socket.write(head(upload, { host, authorization }));
      for (const piece of wire(upload)) {
        if (!socket.writable) break;
        if (!socket.write(piece)) await new Promise((flushed) => socket.once('drain', flushed).once('close', flushed));
      }
      if (upload.ending === 'reset') {
        socket.resetAndDestroy();
        return settle({ kind: 'left' });
      }
      if (upload.ending === 'half-close') socket.end();
      impatience = setTimeout(() => settle({ kind: 'hung' }), patienceMs);
    };
    socket.on('connect', () => void speak());
  });
}

const REFUSALS = new Set([400, 413, 431]);

/** What is wrong with how the server took it; undefined when nothing is. @param maxBytes largest file that the server takes */
export function problemOf({ mustStore }: WildUpload, outcome: Outcome, maxBytes: number): string | undefined {
  if (outcome.kind === 'hung') return 'neither answered nor closed in time';
  const status = outcome.kind === 'answered' ? outcome.status : undefined;
  if (mustStore !== undefined && mustStore <= maxBytes && status !== 201)
    return `a sound upload was not taken: ${JSON.stringify(outcome)}`;
  if (status === undefined || REFUSALS.has(status)) return undefined;
  if (status !== 201 || outcome.kind !== 'answered') return `answered with ${status}`;
  const { size } = v.parse(StoredFile, JSON.parse(outcome.body));
  return mustStore === undefined || size === mustStore ? undefined : `${size} bytes are stored, not ${mustStore}`;
}
