import type { Hono } from 'hono';
import type { Readable } from 'node:stream';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import { Refusal } from '../../platform/refusal.ts';
import { fileNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { fromStorage } from './from-storage.ts';
import { LINK_SECRET, verifyLink } from './links.ts';
import { dispositionOf, mediaTypeOf } from './names.ts';
import { findLinkedFile } from './queries.ts';
import { parseRange } from './range.ts';

/**
 * `GET /files/{id}/download?token=…` sends a file to anybody with its signed address, with ranges for players. Somebody
 * else has uploaded the bytes, so the headers keep browsers from running or sniffing them.
 */
export function downloadRoutes(services: SpeechServices): Hono<AppEnv> {
  return new Calls({ missing: fileNotFound }).respond(SPEECH_CALLS.downloadFile, async ({ c, param }) => {
    const id = param('id');
    if (!verifyLink(services.secretFor.accepted(LINK_SECRET), id, c.req.query('token') ?? '', services.clock()))
      throw new Refusal('not_found', 'file_not_found', 'This link has expired or is not valid.');
    const file = await findLinkedFile(services.db, id);
    if (!file) throw fileNotFound();
    // A file never changes.
    const etag = `"${id}"`;
    const headers = {
      'accept-ranges': 'bytes',
      // No cache may keep somebody's voice, although players ask for the same parts again.
      'cache-control': 'no-store',
      'content-disposition': dispositionOf(file.filename),
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': mediaTypeOf(file.filename),
      // For players in customers' own pages.
      'cross-origin-resource-policy': 'cross-origin',
      etag,
      'x-content-type-options': 'nosniff',
    };
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    const sameVersion = (c.req.header('if-range') ?? etag) === etag;
    const range = parseRange(sameVersion ? c.req.header('range') : undefined, file.size);
    if (range === 'unsatisfiable') return c.body(null, 416, { ...headers, 'content-range': `bytes */${file.size}` });
    const length = range ? range.end - range.start + 1 : file.size;
    const part = {
      ...headers,
      'content-length': String(length),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` }),
    };
    const status = range ? 206 : 200;
    const source = await fromStorage(services, id, async (storage) => {
      await storage.check(id, file.size);
      return c.req.method === 'HEAD' ? null : storage.open(id, range);
    });
    return source === null ? c.body(null, status, part) : c.body(webStream(source), status, part);
  });
}

/** Reads as fast as the client does, and closes the file when the client leaves. */
function webStream(source: Readable): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await pieces.next();
      if (piece.done === true) controller.close();
      else controller.enqueue(piece.value);
    },
    cancel() {
      source.destroy();
    },
  });
}
