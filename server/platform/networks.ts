import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network in CIDR: an address and the length of its prefix in bits. */
export type Network = [Address, number];

/** Reads addresses and networks, separated by commas; undefined if any is invalid. */
export function parseNetworks(text: string): Network[] | undefined {
  const networks: Network[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [address = '', bits, ...more] = part.split('/');
    // Take only the common form: the parser also accepts `10.1` and `0x0a000001`.
    if (more.length > 0 || !isAddress(address) || (bits !== undefined && !ipaddr.isValidCIDR(part))) return undefined;
    const given = ipaddr.parse(address);
    const plain = ipaddr.process(address);
    // An IPv4-mapped IPv6 network has 96 bits before the IPv4 prefix.
    const form = given.kind() === plain.kind() ? 0 : 96;
    const whole = plain.kind() === 'ipv4' ? 32 : 128;
    if (bits !== undefined && Number(bits) < form) return undefined;
    networks.push([plain, bits === undefined ? whole : Number(bits) - form]);
  }
  return networks;
}

/** Whether a text is an IP address; IPv4 only in its common form of four decimals. */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** Whether an address is in one of the networks. Convert an IPv4-mapped address to IPv4 first. */
export function isIn(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

const CLIENT_BITS_V6 = 64;
const SITE_BITS_V6 = 48;

/** The network of an address, in CIDR for IPv6; an IPv4 address unchanged. @param bits of an IPv6 network */
export function networkOf(address: Address, bits = CLIENT_BITS_V6): string {
  return address.kind() === 'ipv4'
    ? address.toString()
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString().replace(/%.*/, '')}/${bits}`).toString()}/${bits}`;
}

/** The /48 of an IPv6 network, which one site usually has; an IPv4 address unchanged. */
export function siteOf(network: string): string {
  const [address = ''] = network.split('/');
  return ipaddr.isValid(address) ? networkOf(ipaddr.parse(address), SITE_BITS_V6) : network;
}
