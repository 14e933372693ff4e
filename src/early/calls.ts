import type { SpeechCredential } from '#contract/authorization.ts';

/** What a call is made with; two calls that agree in method, address and authorization are one. `json` is its body, if any. */
export type EarlyCall = { method: 'get' | 'post'; url: string; authorization: string; json?: unknown };
/** Its body is read as it arrives, so that whoever takes the answer waits for nothing more. */
export type EarlyAnswer = { response: Response; text: string };
type Wanted = { method: string; url: string; authorization: string };

/** An answer that nobody has asked for after this long is too old. The slowest devices ask within it. */
const KEPT_MS = 10_000;

/** What proves a session to the main API (spec §7). */
export const mainBearer = (access: string): string => `Bearer ${access}`;

/** What proves a session to the speech API, for a project's sake (spec §7). */
export function speechBearer(projectId: string, access: string): string {
  const credential: SpeechCredential = { type: 'jwt', project_id: projectId, token: access };
  return `Bearer ${JSON.stringify(credential)}`;
}

/**
 * The verification and the readings that leave with the page, before the code that needs them has come. Each answer is
 * taken once, by a call with the same method, address and token; a write, another session and time drop what was not
 * taken (PRF-01).
 */
export function createEarlyCalls() {
  const answers = new Map<string, Promise<EarlyAnswer>>();
  const drop = () => answers.clear();
  let begunFor: string | null = null;
  return {
    drop,
    /** Makes calls for a session, once for each; what was called for another is dropped. */
    begin(access: string, calls: readonly EarlyCall[]): void {
      if (begunFor === access) return;
      begunFor = access;
      drop();
      for (const call of calls) {
        const answer = send(call);
        // Whoever takes it hears that no answer came, as if the call were theirs; of one that nobody takes, nobody hears.
        answer.catch(() => undefined);
        answers.set(keyOf(call), answer);
      }
      setTimeout(drop, KEPT_MS);
    },
    /** The answer to a call, if it was made early; null otherwise. @throws whatever keeps it from coming */
    take(call: Wanted): Promise<EarlyAnswer> | null {
      const answer = answers.get(keyOf(call)) ?? null;
      answers.delete(keyOf(call));
      return answer;
    },
  };
}

const keyOf = ({ method, url, authorization }: Wanted): string => `${method} ${url} ${authorization}`;

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

/** Those of this page: the page begins them, the callers of the APIs take them. */
export const earlyCalls = createEarlyCalls();
