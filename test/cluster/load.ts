/** Requests one after the other on some connections, none of which is sent twice: whatever is not answered as it should has failed. */
import { Agent, request } from 'node:http';
import type { Tenant } from './tenant.ts';
import { withKey } from './works.ts';

interface LoadCall {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

const READ: LoadCall = { method: 'GET', path: '/v1/files?limit=20' };
export const READS: readonly LoadCall[] = [READ];
/** Half of them read and half of them write: only the former may be sent to another process by the balancer. */
const CALLS: readonly LoadCall[] = [
  READ,
  {
    method: 'POST',
    path: '/v1/auth/temporary-api-key',
    body: JSON.stringify({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 }),
  },
];

export interface LoadResult {
  /** Milliseconds each. */
  times: number[];
  /** Why the others failed. */
  failures: string[];
}

export class Load {
  readonly #agent: Agent;
  readonly #result: LoadResult = { times: [], failures: [] };
  readonly #lanes: Promise<void>[];
  #isOver = false;

  readonly #calls: readonly LoadCall[];

  /** @param lanes connections */
  constructor(url: string, { key }: Tenant, lanes: number, calls = CALLS) {
    this.#calls = calls;
    this.#agent = new Agent({ keepAlive: true, maxSockets: lanes });
    this.#lanes = Array.from({ length: lanes }, (_, lane) => this.#run(url, key, lane));
  }

  /** Requests so far. */
  get count(): number {
    return this.#result.times.length + this.#result.failures.length;
  }

  async stop(): Promise<LoadResult> {
    this.#isOver = true;
    await Promise.all(this.#lanes);
    this.#agent.destroy();
    return this.#result;
  }

  async #run(url: string, key: string, lane: number): Promise<void> {
    for (let turn = lane; !this.#isOver; turn += 1) {
      const call = this.#calls[turn % this.#calls.length]!;
      const sent = performance.now();
      const failure = await this.#ask(url, key, call);
      if (failure === undefined) this.#result.times.push(performance.now() - sent);
      else this.#result.failures.push(`${call.method} ${call.path}: ${failure}`);
    }
  }

  #ask(url: string, key: string, { method, path, body }: LoadCall): Promise<string | undefined> {
    return new Promise((resolve) => {
      const headers = { ...withKey(key), ...(body !== undefined && { 'content-type': 'application/json' }) };
      const outgoing = request(url + path, { method, headers, agent: this.#agent }, (response) => {
        let said = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
        response.once('error', (error) => resolve(String(error)));
        response.once('end', () =>
          resolve(
            response.statusCode !== undefined && response.statusCode < 300
              ? undefined
              : `${response.statusCode} ${said.slice(0, 300)}`,
          ),
        );
      });
      outgoing.once('error', (error) => resolve(String(error)));
      outgoing.end(body);
    });
  }
}
