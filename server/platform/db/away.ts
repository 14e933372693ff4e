/** Tells what a database says of a query from a database that cannot be asked just now. */

/** What the system says of the way there. */
const OF_THE_WAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * By SQLSTATE: the connection (08…), none left or out of memory (53100, a full disk, is no such thing), ended, starting or
 * shutting down, taking too long, or only to be read (25006): another one has taken over.
 */
const OF_THE_DATABASE = /^(?:08|53[234]|57P0[1-4]|57014|55P03|25006|25P0[34])/;
/** A deadlock or another conflict of transactions. */
const OF_A_CONFLICT = /^40/;
/** What the client library says in words only. */
const QUERY_SILENCE = 'Query read timeout';
const IN_WORDS =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|The connection to the database is lost)/;

/** Whether no answer came to a query in time. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === QUERY_SILENCE;

/** Whether the same can succeed in a moment, as the database did not answer, or could not. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isDatabaseAway);
  const code = codeOf(error);
  if (code !== undefined) return OF_THE_WAY.has(code) || OF_THE_DATABASE.test(code);
  return isSilence(error) || IN_WORDS.test(error.message);
}

/** Whether the same would succeed in another transaction: this one was undone for the sake of others. */
export const isConflict = (error: unknown): boolean => OF_A_CONFLICT.test(codeOf(error) ?? '');

/** Whether it waited for others' locks as long as its transaction allows. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** Two transactions waited for each other, and this one was undone. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
