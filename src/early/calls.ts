import type { SpeechCredential } from '#contract/authorization.ts';

/** An early call. Two calls with the same method, address and authorization are one. `json` is the body, if any. */
export type EarlyCall = { method: 'get' | 'post'; url: string; authorization: string; json?: unknown };
/** The answer with its body already read. */
export type EarlyAnswer = { response: Response; text: string };
type CallKey = { method: string; url: string; authorization: string };

/** Untaken answers are dropped after this long. The slowest devices take them sooner. */
const KEPT_MS = 10_000;

/** Authorization for the main API (SES-03). */
export const mainBearer = (access: string): string => `Bearer ${access}`;

/** Authorization for the speech API, for a project (API-02). */
export function speechBearer(projectId: string, access: string): string {
  const credential: SpeechCredential = { type: 'jwt', project_id: projectId, token: access };
  return `Bearer ${JSON.stringify(credential)}`;
}

/**
 * The verification and first reads, sent before the code that needs them has loaded. A call with the same method,
 * address and token takes an answer, once. A write, another session or ten seconds drop the others (PRF-01).
 */
export function createEarlyCalls() {
  const answers = new Map<string, Promise<EarlyAnswer>>();
  const drop = () => answers.clear();
  let begunFor: string | null = null;
  return {
    drop,
    /** Makes the calls for a session, once per session. Drops answers of another session. */
    begin(access: string, calls: readonly EarlyCall[]): void {
      if (begunFor === access) return;
      begunFor = access;
      drop();
      for (const call of calls) {
        const answer = send(call);
        // Only a caller that takes the answer gets its error.
        answer.catch(() => undefined);
        answers.set(keyOf(call), answer);
      }
      setTimeout(drop, KEPT_MS);
    },
    /** The answer to a call, if it was made early; else null. Rejects if the early call failed. */
    take(call: CallKey): Promise<EarlyAnswer> | null {
      const answer = answers.get(keyOf(call)) ?? null;
      answers.delete(keyOf(call));
      return answer;
    },
  };
}

const keyOf = ({ method, url, authorization }: CallKey): string => `${method} ${url} ${authorization}`;

async function send({ method, url, authorization, json }: EarlyCall): Promise<EarlyAnswer> {
  const headers = { accept: 'application/json', authorization };
  const response = await (json === undefined
    ? fetch(url, { method, headers })
    : fetch(url, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(json),
      }));
  return { response, text: await response.text() };
}

/** The early calls of this page. */
export const earlyCalls = createEarlyCalls();
