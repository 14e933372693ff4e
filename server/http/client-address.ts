import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';
import type { Services } from '../platform/context.ts';
import { isAddress, isIn, networkOf, type Address, type Network } from '../platform/networks.ts';
import type { AppEnv } from './env.ts';

/** The network address of a caller. */
export interface Client {
  /** The full address, for logs. */
  address: string;
  /** The network, for limits: the /64 of an IPv6 address, because one client usually has all of it. */
  network: string;
}

/** Parses one hop of X-Forwarded-For. Drops the port that some proxies add. */
function hopOf(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return isAddress(bare) ? ipaddr.process(bare) : undefined;
}

/**
 * Finds the client of a request: the socket's peer, or, if that is a trusted proxy, the rightmost hop of
 * X-Forwarded-For that is not one. Each proxy appends its peer, so a client can fake only hops further left. A hop that
 * is no address ends the search; the last address before it counts.
 *
 * Ignores `Forwarded` (RFC 7239), because proxies that write X-Forwarded-For pass it on as the client sent it.
 */
export function clientOf(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trusted: readonly Network[],
): Client {
  const peer = socket.remoteAddress ?? '';
  if (!ipaddr.isValid(peer)) return { address: 'unknown', network: 'unknown' };
  let client = ipaddr.process(peer);
  const hops = [headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim());
  while (hops.length > 0 && isIn(client, trusted)) {
    const hop = hopOf(hops.pop() ?? '');
    if (hop === undefined) break;
    client = hop;
  }
  return { address: client.toString(), network: networkOf(client) };
}

/** Whether the peer of the socket is a trusted proxy. */
export function isFromProxy(
  { socket }: { socket: { remoteAddress?: string | undefined } },
  trusted: readonly Network[],
): boolean {
  const peer = socket.remoteAddress ?? '';
  return ipaddr.isValid(peer) && isIn(ipaddr.process(peer), trusted);
}

/** The network of a request's client, as a key for limits. */
export function peerOf(services: Pick<Services, 'config'>, c: Context<AppEnv>): string {
  return clientOf(c.env.incoming, services.config.trustedProxies).network;
}
