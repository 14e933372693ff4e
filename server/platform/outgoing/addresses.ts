import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isIn, type Address, type Network } from '../networks.ts';

/**
 * Whether an IP address is one of the public internet. Everything else could lead back into the network of this server:
 * private, loopback, link-local, shared (CGNAT), multicast, reserved, and IPv6 addresses that stand for IPv4 ones (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.parse(address).range() === 'unicast' && (address.includes(':') ? GLOBAL_V6.test(address) : true);
}

/** 2000::/3, the only part of IPv6 that is handed out. */
const GLOBAL_V6 = /^[23][0-9a-f]{3}:/i;

/** Where clouds tell a machine its credentials. One of them looks public; others lie in networks that an operator may well name as a whole. */
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
].map((address): Network => [ipaddr.parse(address), address.includes(':') ? 128 : 32]);

/** Prefixes after which an IPv6 address holds the IPv4 one that it leads to, with the place of its first byte: NAT64 (two), 6to4. */
const EMBEDDING: readonly [Network, number][] = [
  [[ipaddr.parse('64:ff9b::'), 96], 12],
  [[ipaddr.parse('64:ff9b:1::'), 48], 12],
  [[ipaddr.parse('2002::'), 16], 2],
];

/** The IPv4 address that a gateway makes of this IPv6 one. */
function embeddedIn(address: Address): Address | undefined {
  const [, from] = EMBEDDING.find(([prefix]) => isIn(address, [prefix])) ?? [];
  return from === undefined ? undefined : ipaddr.fromByteArray(address.toByteArray().slice(from, from + 4));
}

/**
 * Where this server may connect to on behalf of strangers: to the public internet, and to the networks that its operator names. What
 * tells a cloud's credentials has to be named by itself, and what stands for another address goes by that one as well.
 */
export function allowing(networks: readonly Network[]): (address: string) => boolean {
  const single = networks.filter(([address, bits]) => bits === (address.kind() === 'ipv4' ? 32 : 128));
  const isMetadata = (address: Address): boolean => isIn(address, METADATA) && !isIn(address, single);
  return (text) => {
    if (isIP(text) === 0) return false;
    const address = ipaddr.process(text);
    const embedded = embeddedIn(address);
    if (isMetadata(address) || (embedded !== undefined && isMetadata(embedded))) return false;
    if (isPublicAddress(text)) return true;
    return (
      isIn(address, networks) &&
      (embedded === undefined || isPublicAddress(embedded.toString()) || isIn(embedded, networks))
    );
  };
}
