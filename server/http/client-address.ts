import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from './env.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

/** Who calls, as far as the network tells. */
export interface Client {
  /** For logs. */
  address: string;
  /** For limits: who has one IPv6 address has all of its /64. */
  network: string;
}

const CLIENT_BITS_V6 = 64;

/** Addresses and networks, separated by commas; undefined when one of them is neither. */
export function parseNetworks(text: string): Network[] | undefined {
  const networks: Network[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [address = '', bits, ...more] = part.split('/');
    // Only the common form: `10.1` and `0x0a000001` are addresses to the parser, too.
    if (more.length > 0 || !isAddress(address) || (bits !== undefined && !ipaddr.isValidCIDR(part))) return undefined;
    const given = ipaddr.parse(address);
    const plain = ipaddr.process(address);
    // Of an IPv4 network in the form of IPv6, the first 96 bits are only its form.
    const form = given.kind() === plain.kind() ? 0 : 96;
    const whole = plain.kind() === 'ipv4' ? 32 : 128;
    if (bits !== undefined && Number(bits) < form) return undefined;
    networks.push([plain, bits === undefined ? whole : Number(bits) - form]);
  }
  return networks;
}

const isAddress = (text: string): boolean => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** Whether an address is one of the networks'; an IPv4 one in the form of IPv6 has to be given as IPv4. */
export function isIn(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

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
export function clientOf({ headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } }, trusted: readonly Network[]): Client {
  const peer = socket.remoteAddress ?? '';
  if (!ipaddr.isValid(peer)) return { address: 'unknown', network: 'unknown' };
  let client = ipaddr.process(peer);
  const hops = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').map((hop) => hop.trim());
  while (hops.length > 0 && isIn(client, trusted)) {
    const hop = hopOf(hops.pop() ?? '');
    if (hop === undefined) break;
    client = hop;
  }
  return { address: client.toString(), network: networkOf(client) };
}

function networkOf(address: Address): string {
  return address.kind() === 'ipv4' ? address.toString() : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().replace(/%.*/, '')}/${CLIENT_BITS_V6}`).toString()}/${CLIENT_BITS_V6}`;
}

/** The client of a request as limits tell them apart. */
export function peerOf(services: Pick<Services, 'config'>, c: Context<AppEnv>): string {
  return clientOf(c.env.incoming, services.config.trustedProxies).network;
}
