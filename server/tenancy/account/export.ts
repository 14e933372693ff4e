/** What is known of a person, as one archive: read and written piece by piece, as fast as it is taken. */
import { Readable, type PassThrough } from 'node:stream';
import yazl from 'yazl';
import { EXPORT_FILES, EXPORT_LEFT_OUT, type ExportFile } from '#contract/account-export.ts';

export const README = 'README.txt';

/** The pieces of each file, which are read when it is their turn. */
export type ExportContents = Readonly<Record<ExportFile, () => AsyncIterable<string>>>;

/**
 * The archive as a stream that reads on when what it has read was taken: a reader that is slow, or that leaves, keeps no more than a few
 * pieces. Where reading fails, the stream breaks off before the archive's list of contents, without which it is none.
 * @param onBroken told why it could not be read
 */
export function archiveOf(
  contents: ExportContents,
  { product, now }: { product: string; now: Date },
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const zip = new yazl.ZipFile();
  const out = zip.outputStream as PassThrough;
  const breakOff = (error: Error): void => {
    onBroken(error);
    out.destroy(error);
  };
  zip.on('error', breakOff);
  const options = { mtime: now };
  zip.addBuffer(Buffer.from(readmeOf(product, now)), README, options);
  for (const { name } of EXPORT_FILES)
    zip.addReadStreamLazy(name, options, (give) => {
      const file = Readable.from(contents[name](), { objectMode: true, highWaterMark: 1 }).once('error', breakOff);
      out.once('close', () => file.destroy());
      give(null, file);
    });
  zip.end();
  // Bytes, not pieces, are what may wait.
  return Readable.toWeb(out, {
    strategy: new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  }) as ReadableStream<Uint8Array>;
}

const readmeOf = (product: string, now: Date): string =>
  [
    `What ${product} knows about you, as of ${now.toISOString()}.`,
    '',
    'This archive contains:',
    ...EXPORT_FILES.map(({ name, what }) => `- ${name}: ${what}`),
    '',
    'It does not contain:',
    ...EXPORT_LEFT_OUT.map((sentence) => `- ${sentence}`),
    '',
    'A .json file is one JSON value; a .jsonl file has one per line. Times are in UTC (ISO 8601), durations in milliseconds,',
    'costs in millionths of a US dollar.',
    '',
  ].join('\n');
