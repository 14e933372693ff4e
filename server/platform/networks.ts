import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and how many of its first bits count. */
export type Network = [Address, number];

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

/** Only the common form of an IPv4 address counts. */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** Whether an address is one of the networks'; an IPv4 one in the form of IPv6 has to be given as IPv4. */
export function isIn(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
