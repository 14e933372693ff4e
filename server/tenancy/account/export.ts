/** Writes the export of a person's data as a zip stream, piece by piece, as fast as the client reads it. */
import { EXPORT_FILES, EXPORT_LEFT_OUT, type ExportFile } from '#contract/account-export.ts';
import { zipStream } from '../../platform/zip.ts';

export const README = 'README.txt';

/** The contents of each file in pieces; reading begins with the call. */
export type ExportContents = Readonly<Record<ExportFile, () => AsyncIterable<string>>>;

/** The archive as a stream. @param onBroken called with the error that broke it off */
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
