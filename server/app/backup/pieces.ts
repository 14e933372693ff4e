import type { Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';

/** Passes on what it is given, and hashes it. @param told called with the size of each piece, bytes */
export const hashing = (hash: Hash, told: (bytes: number) => void = () => undefined): Transform =>
  new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      told(piece.byteLength);
      done(null, piece);
    },
  });

/** Lines that end with a line feed and nothing else: what Node splits at, too, may stand in a text of JSON. */
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
