import busboy from 'busboy';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CLIENT_REFERENCE_MAX, UPLOAD_FIELD } from '#contract/files.ts';
import { Refusal, invalidRequest } from '../../platform/refusal.ts';
import { checkText } from '../../platform/text.ts';
import { StorageError, type FileStorage } from '../../platform/storage/port.ts';
import { cleanFilename } from './names.ts';

export interface Upload {
  id: string;
  filename: string;
  /** Bytes. */
  size: number;
  clientReferenceId: string | null;
}

/** The id of an upload, and its limits. */
export interface Room {
  /** Id in the storage. */
  id: string;
  /** Runs before any of the upload is read; may refuse it. */
  before(): Promise<void>;
  /** Reserves up to `atMost` bytes in all for the upload. Refuses it if fewer than `atLeast` are free. */
  hold(atLeast: number, atMost?: number): Promise<void>;
}

/** The largest number of bytes of a form beside its file: names, fields, boundaries. */
const FORM_MAX_BYTES = 128 * 1024;
/** An upload of unknown length reserves this much at a time. */
const STEP_BYTES = 4 << 20;

/** Least and most bytes of the file, from the request's declared length; of unknown length, 0 and a first step. */
function announcedBytes({ headers }: IncomingMessage, maxBytes: number): [atLeast: number, atMost: number] {
  const length = headers['content-length'];
  if (length === undefined) return [0, STEP_BYTES];
  const bytes = Number(length);
  return [Math.min(maxBytes, Math.max(0, bytes - FORM_MAX_BYTES)), Math.min(maxBytes, bytes)];
}

/** Bytes to reserve beyond those received: none if the request declares its length. */
const stepOf = ({ headers }: IncomingMessage): number => (headers['content-length'] === undefined ? STEP_BYTES : 0);

/** Passes chunks on after reserving their bytes. */
async function* reserving(file: Readable, hold: Room['hold'], step: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    await hold(size, size + step);
    yield chunk;
  }
}

const REFERENCE_FIELD = 'client_reference_id';
const unreadable = (): Refusal => invalidRequest([], 'The upload is not a complete multipart form.');
const tooLarge = (maxBytes: number): Refusal =>
  invalidRequest(
    [{ error_type: 'too_large', location: `file.${UPLOAD_FIELD}`, message: `File must be at most ${maxBytes} bytes.` }],
    `File must be at most ${maxBytes} bytes.`,
  );

/**
 * Streams the one file of a multipart request into storage, never all of it in memory. Reserves its bytes before it
 * comes if the request declares its length, else as it comes. Stores nothing if it throws or the client leaves.
 * @throws Refusal invalid (no form, no file, too large, reference too long), errors of {@link Room}, StorageError
 */
export async function receiveUpload(
  request: IncomingMessage,
  storage: FileStorage,
  maxBytes: number,
  { id, before, hold }: Room,
): Promise<Upload> {
  try {
    await before();
    await hold(...announcedBytes(request, maxBytes));
    // The client may have left meanwhile; no further event would say so.
    if (request.destroyed) throw unreadable();
  } catch (error) {
    await discard(request);
    throw error;
  }
  const form = openForm(request, maxBytes);
  let filename: string | undefined;
  let file: Readable | undefined;
  let stored: Promise<{ size: number }> | undefined;
  let clientReferenceId: string | null = null;
  /** The first error in a name or field. The form is read to its end all the same. */
  let malformed: unknown;
  const check = (text: string | undefined, location: string): void => {
    try {
      checkText(text, location);
    } catch (error) {
      malformed ??= error;
    }
  };
  form.on('file', (name, stream, info) => {
    // A form that breaks off breaks its current part too, also one that nobody reads. The storage reports the others.
    stream.on('error', () => {});
    check(name, 'file');
    check(info.filename, `file.${name}`);
    if (name !== UPLOAD_FIELD || stored) return void stream.resume();
    filename = cleanFilename(unescapeName(info.filename));
    file = stream;
    const body = Readable.from(reserving(stream, hold, stepOf(request)), { objectMode: false, highWaterMark: 1 << 20 });
    // The storage reports its errors.
    body.on('error', () => {});
    stored = storage.put(id, body);
    stored.catch((error: unknown) => form.destroy(error instanceof Error ? error : new Error(String(error))));
  });
  form.on('field', (name, value) => {
    check(name, 'file');
    check(value, `file.${name}`);
    if (name === REFERENCE_FIELD) clientReferenceId = value;
  });
  form.on('error', () => {});
  try {
    await readForm(request, form);
    if (!stored || filename === undefined)
      throw invalidRequest([{ error_type: 'missing', location: `file.${UPLOAD_FIELD}`, message: 'Field required' }]);
    const { size } = await stored;
    if (malformed !== undefined) throw malformed;
    if (size > maxBytes) throw tooLarge(maxBytes);
    checkReference(clientReferenceId);
    return { id, filename, size, clientReferenceId };
  } catch (error) {
    request.unpipe(form);
    file?.destroy(new Error('upload given up'));
    form.destroy();
    await stored?.then(
      () => storage.remove(id),
      () => {},
    );
    await discard(request);
    throw isOwnError(error) ? error : unreadable();
  }
}

/** Whether the server or its disk has caused the error. All others come from the form, or the client has left. */
const isOwnError = (error: unknown): boolean =>
  error instanceof Refusal || error instanceof StorageError || (error instanceof Error && 'syscall' in error);

function openForm(request: IncomingMessage, maxBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      highWaterMark: 1 << 20,
      fileHwm: 1 << 20,
      // One byte more than allowed, to tell a file of the largest size from one that was cut off.
      limits: { files: 2, fileSize: maxBytes + 1, fields: 20, fieldSize: 4096, parts: 22 },
    });
  } catch {
    throw invalidRequest([
      { error_type: 'invalid', location: 'header.content-type', message: 'The body must be multipart/form-data.' },
    ]);
  }
}

/** Browsers escape exactly these three characters in a form's file names (HTML standard). */
const unescapeName = (name: string | undefined): string | undefined =>
  name?.replace(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped));

/** Resolves when the form has been read to its end. */
function readForm(request: IncomingMessage, form: busboy.Busboy): Promise<void> {
  return new Promise((resolve, reject) => {
    form.once('close', resolve);
    form.once('error', reject);
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the client left'));
    });
    request.pipe(form);
  });
}

/** A function, because the compiler thinks that the variable, which a callback sets, is always null. */
function checkReference(value: string | null): void {
  if (value !== null && value.length > CLIENT_REFERENCE_MAX)
    throw invalidRequest([
      {
        error_type: 'too_long',
        location: `file.${REFERENCE_FIELD}`,
        message: `Client reference ID is too long (max length ${CLIENT_REFERENCE_MAX})`,
      },
    ]);
}

/** Reads the rest of a request and drops it: a browser reads an answer only after it has sent everything. */
async function discard(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  // Rejects if the client leaves; then nobody waits for an answer.
  await once(request, 'close').catch(() => {});
}
