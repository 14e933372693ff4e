import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

/** The address leads to a place where this server sends nothing. */
export class NotAllowed extends Error {
  constructor() {
    super('The address is neither one of the public internet nor in OUTGOING_ALLOWED_NETWORKS.');
    this.name = 'NotAllowed';
  }
}

export interface OutgoingOptions {
  /** Whether an IP address may be connected to. */
  allow: (address: string) => boolean;
  /** IP addresses of a name; the system's resolver by default. */
  resolve?: (hostname: string) => Promise<readonly string[]>;
}

interface OutgoingRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Ends the request and the reading of its answer. */
  signal: AbortSignal;
}

/** Calls addresses that strangers have given. */
export interface Outgoing {
  /**
   * One request; redirects are answers like others. The body of the answer must be read or destroyed.
   * @throws NotAllowed, or what the network says
   */
  request(url: URL, request: OutgoingRequest): Promise<IncomingMessage>;
}

const systemResolve = async (hostname: string): Promise<readonly string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * A client that connects to nothing but what was checked: the name is resolved once, and the connection is made to
 * exactly the addresses that were allowed, so that a name cannot mean another place a moment later (DNS rebinding).
 */
export function createOutgoing({ allow, resolve = systemResolve }: OutgoingOptions): Outgoing {
  return {
    async request(url, { method, headers, body, signal }) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new NotAllowed();
      const hostname = url.hostname.replace(/^\[|\]$/g, '');
      const addresses = (isIP(hostname) ? [hostname] : await unlessAborted(resolve(hostname), signal)).filter(
        (address) => isIP(address) && allow(address),
      );
      if (addresses.length === 0) throw new NotAllowed();
      return new Promise((answered, failed) => {
        const { request } = url.protocol === 'https:' ? https : http;
        // No agent: a kept connection could be one that was made before the check.
        const sent = request(url, { method, headers, signal, agent: false, lookup: only(addresses) });
        sent.once('response', answered);
        // Stays: a request can also break after its answer has begun, which the answer then tells.
        sent.on('error', failed);
        sent.end(body);
      });
    },
  };
}

/** A resolver that knows these addresses and no others. */
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
