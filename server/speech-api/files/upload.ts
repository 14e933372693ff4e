import busboy from 'busboy';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CLIENT_REFERENCE_MAX, UPLOAD_FIELD } from '#contract/files.ts';
import { ApiProblem, invalidRequest } from '../../http/errors.ts';
import { checkText } from '../../http/text.ts';
import { FORM_MAX_BYTES } from '../../money/limits/bytes.ts';
import { StorageError, type FileStorage } from '../../platform/storage/port.ts';
import { cleanFilename } from './names.ts';

export interface Upload {
  id: string;
  filename: string;
  /** Bytes. */
  size: number;
  clientReferenceId: string | null;
}

/** Where an upload goes, and what may refuse it. */
export interface Room {
  /** What it is stored under. */
  id: string;
  /** Refuses it before anything of it is read. */
  before(): Promise<void>;
  /** Makes sure that so many bytes of it altogether may be stored, and if possible as many as it may have. Refuses it where they may not. */
  hold(atLeast: number, atMost?: number): Promise<void>;
}

/** What an upload of unknown length is given room for at once. */
const STEP_BYTES = 4 << 20;

/** What the file of a request has for certain, if the client keeps its word, and what it may have: all that is said to come, or a first step. */
function announcedBytes({ headers }: IncomingMessage, maxBytes: number): [atLeast: number, atMost: number] {
  const length = headers['content-length'];
  if (length === undefined) return [0, STEP_BYTES];
  const bytes = Number(length);
  return [Math.min(maxBytes, Math.max(0, bytes - FORM_MAX_BYTES)), Math.min(maxBytes, bytes)];
}

/** What is held beyond what has come: nothing of an upload that says its length. */
const stepOf = ({ headers }: IncomingMessage): number => (headers['content-length'] === undefined ? STEP_BYTES : 0);

/** Passes on what there is room for. */
async function* holding(file: Readable, hold: Room['hold'], step: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    await hold(size, size + step);
    yield chunk;
  }
}

const REFERENCE_FIELD = 'client_reference_id';
const unreadable = (): ApiProblem => invalidRequest([], 'The upload is not a complete multipart form.');
const tooLarge = (maxBytes: number): ApiProblem =>
  invalidRequest(
    [{ error_type: 'too_large', location: `file.${UPLOAD_FIELD}`, message: `File must be at most ${maxBytes} bytes.` }],
    `File must be at most ${maxBytes} bytes.`,
  );

/**
 * Streams the one file of a multipart request into storage; never holds it in memory.
 * Room for it is held before it comes, as far as its length is declared; else as it comes.
 * @throws ApiProblem 400 (not a form, no file, too large, reference too long), StorageError. Nothing is kept then, nor when the client leaves.
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
    // It may have left meanwhile, and tells so only once.
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
  /** Of what is said beside the file; the form is still read to its end. */
  let malformed: unknown;
  const check = (text: string | undefined, location: string): void => {
    try {
      checkText(text, location);
    } catch (error) {
      malformed ??= error;
    }
  };
  form.on('file', (name, stream, info) => {
    // A form that breaks off breaks the part that it was in, also one that nobody reads. Storage reports the others.
    stream.on('error', () => {});
    check(name, 'file');
    check(info.filename, `file.${name}`);
    if (name !== UPLOAD_FIELD || stored) return void stream.resume();
    filename = cleanFilename(unescapeName(info.filename));
    file = stream;
    const body = Readable.from(holding(stream, hold, stepOf(request)), { objectMode: false, highWaterMark: 1 << 20 });
    // Storage reports what breaks it.
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
    throw isOurs(error) ? error : unreadable();
  }
}

/** Whether it is told by the server, or went wrong at its disk; all else is wrong with the form, or its client has left. */
const isOurs = (error: unknown): boolean =>
  error instanceof ApiProblem || error instanceof StorageError || (error instanceof Error && 'syscall' in error);

function openForm(request: IncomingMessage, maxBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      highWaterMark: 1 << 20,
      fileHwm: 1 << 20,
      // One byte more than allowed, to tell a file that fits exactly from one that was cut off.
      limits: { files: 2, fileSize: maxBytes + 1, fields: 20, fieldSize: 4096, parts: 22 },
    });
  } catch {
    throw invalidRequest([
      { error_type: 'invalid', location: 'header.content-type', message: 'The body must be multipart/form-data.' },
    ]);
  }
}

/** Browsers write these three as escapes in a form's names, and nothing else (HTML standard). */
const unescapeName = (name: string | undefined): string | undefined =>
  name?.replace(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped));

/** Resolves when the whole form was read. */
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

/** A string, so that the compiler does not take the variable for always null: it is set in a callback. */
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

/** Reads on without keeping anything: a browser takes an answer only after it has sent all. */
async function discard(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  // Rejects when the client leaves in between; then nobody waits for an answer.
  await once(request, 'close').catch(() => {});
}
