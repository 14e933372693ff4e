import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';
import type { Services } from '../platform/context.ts';
import { isAddress, isIn, type Address, type Network } from '../platform/networks.ts';
import type { AppEnv } from './env.ts';

/** Who calls, as far as the network tells. */
export interface Client {
  /** For logs. */
  address: string;
  /** For limits: who has one IPv6 address has all of its /64. */
  network: string;
}

const CLIENT_BITS_V6 = 64;
const SITE_BITS_V6 = 48;

/** One hop of X-Forwarded-For; some proxies add the port. */
function hopOf(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return isAddress(bare) ? ipaddr.process(bare) : undefined;
}

/**
 * Who sent a request. That is the peer of the socket; where the peer is a trusted proxy, the rightmost hop of X-Forwarded-For
 * that is not one: each proxy adds the peer that it saw at the right, so what stands further left is anybody's word. A hop that
 * is no address ends the walk, and who passed it on counts.
 *
 * `Forwarded` (RFC 7239) is not read: proxies that write X-Forwarded-For pass it on as the client sent it.
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

/** Whether the peer of the socket is a trusted proxy, whose headers count. */
export function isFromProxy(
  { socket }: { socket: { remoteAddress?: string | undefined } },
  trusted: readonly Network[],
): boolean {
  const peer = socket.remoteAddress ?? '';
  return ipaddr.isValid(peer) && isIn(ipaddr.process(peer), trusted);
}

function networkOf(address: Address, bits = CLIENT_BITS_V6): string {
  return address.kind() === 'ipv4'
    ? address.toString()
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().replace(/%.*/, '')}/${bits}`).toString()}/${bits}`;
}

/** The IPv6 /48 that a client's network lies in, which is what sites are given; an IPv4 address as it is. */
export function siteOf(network: string): string {
  const [address = ''] = network.split('/');
  return ipaddr.isValid(address) ? networkOf(ipaddr.parse(address), SITE_BITS_V6) : network;
}

/** The client of a request as limits tell them apart. */
export function peerOf(services: Pick<Services, 'config'>, c: Context<AppEnv>): string {
  return clientOf(c.env.incoming, services.config.trustedProxies).network;
}
