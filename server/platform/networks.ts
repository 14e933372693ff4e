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
