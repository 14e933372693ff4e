import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import type { Config } from '../platform/config.ts';
import { isFromProxy } from './client-address.ts';

/** What is written into columns of this type, and told again as such. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of a request, for its answer, the log, what it leaves in the database, and its jobs. A trusted proxy may have given it one; the
 * word of anybody else is not taken, as an id must not be somebody else's.
 */
export function requestIdOf(request: IncomingMessage, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  return UUID.test(id) && isFromProxy(request, trustedProxies) ? id : randomUUID();
}
