import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import type { Config } from '../platform/config.ts';
import { isFromProxy } from './client-address.ts';

/** The only form of an id, because columns of type uuid store it. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of a request, for its answer, log lines, rows and jobs. Takes the id of a trusted proxy, and makes a new one
 * otherwise, because other clients could send an id that is in use.
 */
export function requestIdOf(request: IncomingMessage, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  return UUID.test(id) && isFromProxy(request, trustedProxies) ? id : randomUUID();
}
