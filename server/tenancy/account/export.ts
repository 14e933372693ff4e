/** What is known of a person, as one archive: read and written piece by piece, as fast as it is taken. */
import { EXPORT_FILES, EXPORT_LEFT_OUT, type ExportFile } from '#contract/account-export.ts';
import { zipStream } from '../../platform/zip.ts';

export const README = 'README.txt';

/** The pieces of each file, which are read when it is their turn. */
export type ExportContents = Readonly<Record<ExportFile, () => AsyncIterable<string>>>;

/** The archive as a stream. @param onBroken told why it could not be read */
export const archiveOf = (
  contents: ExportContents,
  { product, now }: { product: string; now: Date },
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> =>
  zipStream([[README, readmeOf(product, now)], ...EXPORT_FILES.map(({ name }) => [name, contents[name]] as const)], {
    mtime: now,
    onBroken,
  });

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
