/** Tells errors of a query from errors of a database that is away: it does not answer, or cannot work just now. */

/** System errors of the connection. */
const CONNECTION_ERRORS = new Set([
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
 * SQLSTATEs of a database that is away: connection errors (08…), too few resources (53…, but not 53100, a full disk),
 * starting or shutting down (57P0…), timeouts, and read-only (25006) because another server has taken over.
 */
const AWAY_STATES = /^(?:08|53[234]|57P0[1-4]|57014|55P03|25006|25P0[34])/;
/** SQLSTATEs of a deadlock or another conflict of transactions. */
const CONFLICT_STATES = /^40/;
/** Errors of the client library that have no code. */
const QUERY_SILENCE = 'Query read timeout';
const IN_WORDS =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|The connection to the database is lost)/;

/** Whether a query got no answer in time. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === QUERY_SILENCE;

/** Whether the database did not answer or could not work, so that a retry may succeed soon. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isDatabaseAway);
  const code = codeOf(error);
  if (code !== undefined) return CONNECTION_ERRORS.has(code) || AWAY_STATES.test(code);
  return isSilence(error) || IN_WORDS.test(error.message);
}

/** Whether the transaction was rolled back because of a conflict with others, so that a retry may succeed. */
export const isConflict = (error: unknown): boolean => CONFLICT_STATES.test(codeOf(error) ?? '');

/** Whether the transaction waited for a lock longer than its `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** Whether the transaction was rolled back because of a deadlock. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
