import ipaddr from 'ipaddr.js';

/** Whether an IP address, which may be IPv4-mapped, is of this machine itself. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether a host name leads to this machine itself. `localhost` and its subdomains always do (RFC 6761). */
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
