import type { Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';

/** Passes bytes on, and hashes them. @param onBytes called with the size of each piece */
export const hashing = (hash: Hash, onBytes: (bytes: number) => void = () => undefined): Transform =>
  new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      onBytes(piece.byteLength);
      done(null, piece);
    },
  });

/** Splits at line feeds only. Node's readline also splits at characters that JSON allows in a string. */
export async function* linesIn(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let rest: string[] = [];
  for await (const piece of stream as AsyncIterable<string>) {
    const [first = '', ...more] = piece.split('\n');
    const last = more.pop();
    rest.push(first);
    if (last === undefined) continue;
    yield rest.join('');
    yield* more;
    rest = [last];
  }
  const end = rest.join('');
  if (end !== '') yield end;
}
