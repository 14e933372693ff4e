import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/** This server must not connect to the address. */
export class NotAllowed extends Error {
  constructor() {
    super('The address is neither one of the public internet nor in OUTGOING_ALLOWED_NETWORKS.');
    this.name = 'NotAllowed';
  }
}

export interface OutgoingOptions {
  /** Whether the server may connect to an IP address. */
  allow: (address: string) => boolean;
  /** Resolves a name to IP addresses; the system's resolver by default. */
  resolve?: (hostname: string) => Promise<readonly string[]>;
}

interface OutgoingRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
}

/** Sends requests to URLs that strangers have given. */
export interface Outgoing {
  /** False if the URL names an IP address to which this server must not connect. A name is only known once resolved. */
  mayReach(url: URL): boolean;
  /**
   * Sends one request; does not follow redirects. Read or destroy the body of the response.
   * @throws NotAllowed, or the network's error
   */
  request(url: URL, request: OutgoingRequest): Promise<IncomingMessage>;
}

const systemResolve = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * A client that connects only to checked addresses. It resolves the name once, and connects to exactly the allowed
 * addresses, so that the name cannot lead elsewhere a moment later (DNS rebinding).
 */
export function createOutgoing({ allow, resolve = systemResolve }: OutgoingOptions): Outgoing {
  return {
    mayReach(url) {
      const hostname = hostnameOf(url);
      return isIP(hostname) === 0 || allow(hostname);
    },
    async request(url, { method, headers, body, signal }) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new NotAllowed();
      const hostname = hostnameOf(url);
      const addresses = (isIP(hostname) ? [hostname] : await unlessAborted(resolve(hostname), signal)).filter(
        (address) => isIP(address) && allow(address),
      );
      if (addresses.length === 0) throw new NotAllowed();
      return new Promise((answered, failed) => {
        const { request } = url.protocol === 'https:' ? https : http;
        // No agent: it could reuse a connection from before the check.
        const sent = request(url, { method, headers, signal, agent: false, lookup: only(addresses) });
        sent.once('response', answered);
        // Keep the listener: a request can also fail after its response has begun, which then reports it.
        sent.on('error', failed);
        sent.end(body);
      });
    },
  };
}

/** An IPv6 address without its brackets. */
const hostnameOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** A resolver that returns exactly these addresses. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }));
    const first = known[0] ?? { address: '', family: 0 };
    if (options.all === true) callback(null, known);
    else callback(null, first.address, first.family);
  };

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
