import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isIn, type Address, type Network } from '../networks.ts';

/**
 * Whether an IP address belongs to the public internet. Any other could lead into the server's own network: private,
 * loopback, link-local, shared (CGNAT), multicast, reserved, and IPv6 addresses for IPv4 (mapped, NAT64, 6to4, Teredo).
 */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.parse(address).range() === 'unicast' && (address.includes(':') ? GLOBAL_V6.test(address) : true);
}

/** 2000::/3, the only part of IPv6 allocated for global unicast. */
const GLOBAL_V6 = /^[23][0-9a-f]{3}:/i;

/**
 * Addresses at which clouds give a machine its credentials. One looks public; others are in networks that an operator
 * may allow as a whole.
 */
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

/** IPv6 prefixes that embed an IPv4 address, and the offset of its first byte: NAT64 (two), 6to4. */
const EMBEDDING: readonly [Network, number][] = [
  [[ipaddr.parse('64:ff9b::'), 96], 12],
  [[ipaddr.parse('64:ff9b:1::'), 48], 12],
  [[ipaddr.parse('2002::'), 16], 2],
];

/** The IPv4 address embedded in an IPv6 address, to which a gateway would connect; undefined if none. */
function embeddedIn(address: Address): Address | undefined {
  const [, from] = EMBEDDING.find(([prefix]) => isIn(address, [prefix])) ?? [];
  return from === undefined ? undefined : ipaddr.fromByteArray(address.toByteArray().slice(from, from + 4));
}

/**
 * Makes the check whether this server may connect to an address for strangers: in the public internet, or in a network
 * that the operator allows. An address of cloud credentials must be allowed by itself. An embedded IPv4 address must be
 * allowed, too.
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
