import ipaddr from 'ipaddr.js';

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
