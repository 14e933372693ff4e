import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { ApiError, ValidationError } from '#contract/errors.ts';
import { StoredFile } from '#contract/files.ts';
import { workInHeaders } from '../../platform/telemetry/work.ts';
import { EngineError } from '../port.ts';
import type { UpstreamErrors } from './errors.ts';
import { wavForm } from './wav.ts';

/** Longest wait for an answer, milliseconds; for an upload, longest time without progress. */
const TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 120_000;
/** A transcript of five hours has some 10 MB. */
const ANSWER_MAX_BYTES = 256 << 20;

/** A field of a wrong type counts as left out: the others still say why. */
const ifValid = <T extends v.GenericSchema>(schema: T) => v.fallback(v.optional(schema), undefined);
const Refusal = v.object({
  error_type: ifValid(ApiError.entries.error_type),
  message: ifValid(ApiError.entries.message),
  validation_errors: ifValid(v.array(v.pick(ValidationError, ['location']))),
});
const NewFile = v.pick(StoredFile, ['id']);

export interface UpstreamAddress {
  /** Without `/v1` and trailing slash. */
  url: string;
  key: string;
}

type Schema<T> = v.GenericSchema<unknown, T>;

/** Sends requests to the upstream's REST API. Every failure is an EngineError, whose message never has the key. */
export class UpstreamClient {
  readonly #address: UpstreamAddress;
  readonly #errors: UpstreamErrors;

  constructor(address: UpstreamAddress, errors: UpstreamErrors) {
    this.#address = address;
    this.#errors = errors;
  }

  get<T>(path: string, schema: Schema<T>, signal?: AbortSignal): Promise<T> {
    return this.#call('GET', path, undefined, signal, (text) => this.#parse(schema, text));
  }

  post<T>(path: string, body: object, schema: Schema<T>, signal?: AbortSignal): Promise<T> {
    return this.#call('POST', path, body, signal, (text) => this.#parse(schema, text));
  }

  /**
   * Deletes a resource; one that is already gone counts as deleted.
   * @returns false while the upstream still works on it
   */
  async delete(path: string): Promise<boolean> {
    return this.#call(
      'DELETE',
      path,
      undefined,
      undefined,
      () => true,
      (status) => (status === 404 ? true : status === 409 ? false : undefined),
    );
  }

  /**
   * Uploads a recording while reading it.
   * @returns the id of the file
   * @throws EngineError, or the error of reading the recording
   */
  async upload(pcm: AsyncIterable<Float32Array>, signal?: AbortSignal): Promise<string> {
    let failure: unknown;
    const source = async function* source(): AsyncGenerator<Float32Array> {
      try {
        yield* pcm;
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      const { status, text } = await this.#send(source(), signal);
      if (status < 200 || status > 299) throw this.#refused(status, text);
      return this.#parse(NewFile, text).id;
    } catch (error) {
      throw (
        failure ??
        (signal?.aborted === true ? cancelled() : error instanceof EngineError ? error : this.#errors.unreachable())
      );
    }
  }

  async #send(
    pcm: AsyncIterable<Float32Array>,
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; text: string }> {
    const form = wavForm(pcm);
    const { url, key } = this.#address;
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(`${url}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': form.contentType, ...workInHeaders() },
    });
    request.setTimeout(UPLOAD_TIMEOUT_MS, () => request.destroy(this.#errors.unreachable()));
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
    });
    // The request reports errors of sending, too. If an answer comes before the upload ends, only the answer counts.
    const sent = pipeline(Readable.from(form.body), request, ...(signal ? [{ signal }] : [])).catch(() => undefined);
    try {
      const response = await answered;
      return { status: response.statusCode ?? 0, text: await readText(response) };
    } finally {
      request.on('error', () => {});
      request.destroy();
      await sent;
    }
  }

  async #call<T>(
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal | undefined,
    read: (text: string) => T,
    settle?: (status: number) => T | undefined,
  ): Promise<T> {
    const { url, key } = this.#address;
    const patience = AbortSignal.timeout(TIMEOUT_MS);
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        redirect: 'error',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...workInHeaders(),
          ...(body && { 'content-type': 'application/json' }),
        },
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
        ...(body && { body: JSON.stringify(body) }),
      });
      status = response.status;
      text = response.body ? await readText(response.body) : '';
    } catch (error) {
      if (signal?.aborted === true) throw cancelled();
      throw error instanceof EngineError ? error : this.#errors.unreachable();
    }
    const settled = settle?.(status);
    if (settled !== undefined) return settled;
    if (status < 200 || status > 299) throw this.#refused(status, text);
    return read(text);
  }

  #refused(status: number, text: string): EngineError {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Refusal), text);
    if (!read.success) return this.#errors.refused(status);
    const { error_type: type, message, validation_errors: problems } = read.output;
    return this.#errors.refused(status, { type, message, locations: problems?.map(({ location }) => location) });
  }

  #parse<T>(schema: Schema<T>, text: string): T {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
    if (!read.success) throw this.#errors.strange();
    return read.output;
  }
}

export const cancelled = (): EngineError => new EngineError('aborted', 'The transcription was cancelled.');

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_BYTES)
      throw new EngineError('worker_crashed', 'The speech service gave an answer that is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
