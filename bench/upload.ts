/** How fast an upload of 1 GiB reaches the disk, against a plain Node server that writes the same bytes, and what it costs in memory. */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { StoredFile, UPLOAD_FIELD, UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { type Row, atLeast, atMost, figure, quantile } from './row.ts';
import { watchMemory } from './memory.ts';
import { type Service, withService } from './service.ts';
import { scaled } from './settings.ts';
import { withPeer } from './with-peer.ts';

const PIECE_BYTES = 1 << 20;
/** Turn and turn about, so that both see the same machine. */
const ROUNDS = 3;
/** Parsing the form costs a part of the speed. */
const RATIO_BUDGET = 0.5;
const GROWTH_BUDGET = 100;
const BOUNDARY = 'parlance-bench-boundary';

/** Sound is no zeros; a form's parser looks at every byte. */
function* sound(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let index = 0, noise = 1; index < piece.length; index += 1)
    piece[index] = (noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  for (let left = bytes; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
}

function* form(bytes: number): Generator<Buffer> {
  yield Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${UPLOAD_FIELD}"; filename="long.wav"\r\ncontent-type: audio/wav\r\n\r\n`,
  );
  yield* sound(bytes);
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

/** Posts what `body` gives. @returns the answer's text and MB (10⁶ bytes) a second until it was there. @throws Error unless it is 201 */
async function post(
  url: string,
  headers: Record<string, string>,
  body: Generator<Buffer>,
  bytes: number,
): Promise<{ text: string; speed: number }> {
  const outgoing = request(url, { method: 'POST', headers });
  const answered = new Promise<string>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        response.statusCode === 201 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      );
    });
  });
  const from = performance.now();
  const [text] = await Promise.all([answered, pipeline(Readable.from(body, { highWaterMark: 2 }), outgoing)]);
  return { text, speed: bytes / 1e6 / ((performance.now() - from) / 1000) };
}

async function upload(service: Service, bytes: number): Promise<number> {
  const headers = {
    authorization: await service.authorization(),
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  const { text, speed } = await post(`${service.url}/v1/files`, headers, form(bytes), bytes);
  const { id, size } = v.parse(StoredFile, JSON.parse(text));
  if (size !== bytes) throw new Error(`${size} bytes are stored, not ${bytes}.`);
  await service.speech('DELETE', `/files/${id}`);
  return speed;
}

export function run(): Promise<Row[]> {
  const bytes = scaled(UPLOAD_MAX_BYTES);
  return withPeer('upload', (peer) =>
    withService(async (service) => {
      await service.restart();
      await upload(service, Math.min(bytes, 64 << 20));
      const ours: number[] = [];
      const plain: number[] = [];
      let growth = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        plain.push((await post(peer, {}, form(bytes), bytes)).speed);
        const { result, curve } = await watchMemory(service.pid, () => upload(service, bytes));
        ours.push(result);
        growth = Math.max(growth, curve.max - curve.first);
      }
      return [
        figure(`Upload of ${(bytes / 2 ** 20).toFixed(0)} MiB`, quantile(ours, 0.5), 'MB/s'),
        figure('The same bytes to a plain Node server', quantile(plain, 0.5), 'MB/s'),
        atLeast('Upload, speed of the plain server', quantile(ours, 0.5) / quantile(plain, 0.5), '×', RATIO_BUDGET),
        atMost('Upload, memory of the server grows by', growth, 'MiB', GROWTH_BUDGET),
      ];
    }),
  );
}
