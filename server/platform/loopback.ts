import ipaddr from 'ipaddr.js';

/** Whether an address is of this machine itself; IPv4 in the form of IPv6 too. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether a name in an address (without its port) leads to this machine itself. `localhost` and what is below it never lead elsewhere (RFC 6761). */
export function isLoopbackHost(name: string): boolean {
  const host = name.toLowerCase();
  return (
    host === 'localhost' ||
    /^[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost$/.test(host) ||
    isLoopbackAddress(host.replace(/^\[(.*)\]$/, '$1'))
  );
}

/** A Host header without its port. */
export const hostName = (header: string | undefined): string => (header ?? '').toLowerCase().replace(/:\d+$/, '');
