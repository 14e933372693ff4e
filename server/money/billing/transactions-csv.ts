import { Readable } from 'node:stream';
import { toCsv, type Cell } from '#contract/csv.ts';
import { receiptTitle, TRANSACTION_NAMES, type Transaction } from '#contract/transactions.ts';
import { MICROS_PER_USD } from '../../platform/prices.ts';

/** The time as spreadsheets read it. */
const timeOf = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** Columns in the units of people. Usage has its day as its time, as on the screen. */
const COLUMNS: Readonly<Record<string, (of: Transaction) => Cell>> = {
  'Time (UTC)': ({ day, at }) => day ?? timeOf(at),
  Kind: ({ kind }) => TRANSACTION_NAMES[kind],
  Description: ({ description }) => description,
  'Amount (USD)': ({ amount_micros }) => amount_micros / MICROS_PER_USD,
  'Balance after (USD)': ({ balance_after_micros }) => balance_after_micros / MICROS_PER_USD,
  Receipt: ({ receipt }) => receipt && receiptTitle(receipt),
  'Posted (UTC)': ({ at }) => timeOf(at),
  'Transaction id': ({ uuid }) => uuid,
};

/**
 * Transactions as a CSV, read piece by piece, as fast as the client takes them. If reading fails, the stream fails, so
 * that a cut file does not look complete.
 * @param onBroken called with the error of a failed read
 */
export const transactionsCsv = (
  pieces: AsyncIterable<readonly Transaction[]>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(linesOf(pieces, onBroken), { objectMode: false, highWaterMark: 1 }), {
    strategy: new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  }) as ReadableStream<Uint8Array>;

async function* linesOf(
  pieces: AsyncIterable<readonly Transaction[]>,
  onBroken: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(toCsv([Object.keys(COLUMNS)]));
    for await (const piece of pieces)
      if (piece.length > 0)
        yield Buffer.from(toCsv(piece.map((one) => Object.values(COLUMNS).map((cell) => cell(one)))));
  } catch (error) {
    onBroken(error);
    throw error;
  }
}
