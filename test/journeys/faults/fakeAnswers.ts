/** The speech API under the hand of a test: one call at a time is answered wrongly, or not at all. */
import type { Page, Request, Route } from '@playwright/test';
import { REQUEST_ID_HEADER, type ApiError } from '#contract/errors.ts';

/** Every call of the playground, and how it is told from the others. */
const CALLS = {
  models: ['GET', /^models$/],
  files: ['GET', /^files$/],
  file: ['GET', /^files\/[^/]+$/],
  fileUrl: ['GET', /^files\/[^/]+\/url$/],
  upload: ['POST', /^files$/],
  deleteFile: ['DELETE', /^files\/[^/]+$/],
  transcriptions: ['GET', /^transcriptions$/],
  createTranscription: ['POST', /^transcriptions$/],
  transcription: ['GET', /^transcriptions\/[^/]+$/],
  cancelTranscription: ['POST', /^transcriptions\/[^/]+\/cancel$/],
  transcript: ['GET', /^transcriptions\/[^/]+\/transcript$/],
  deleteTranscription: ['DELETE', /^transcriptions\/[^/]+$/],
  temporaryKey: ['POST', /^auth\/temporary-api-key$/],
} as const satisfies Record<string, readonly [string, RegExp]>;
export type Call = keyof typeof CALLS;
const NAMES = Object.keys(CALLS).filter((name): name is Call => name in CALLS);

function callOf(request: Request): Call | undefined {
  const path = new URL(request.url()).pathname.replace(/^\/v1\//, '');
  return NAMES.find((name) => CALLS[name][0] === request.method() && CALLS[name][1].test(path));
}

const CONNECTION = 'Something went wrong. Check your connection and try again.';

/** One way to go wrong, and what the user can be told of it. */
export type Fault = {
  name: string;
  text: string;
  /** Where the page is to show it: under failures of the server (CON-22). */ requestId: string | null;
  status: number | null;
  answer: (route: Route) => Promise<void>;
};

/** A refusal in the words of the API; its text holds markup, which is to be taken out; what is left is shown as it is. */
export function refusing(status: number): Fault {
  const requestId = `request-${status}`;
  const json: ApiError = {
    status_code: status,
    error_type: `error_${status}`,
    message: `Refused <b>with ${status}</b> &amp; no more.`,
    validation_errors: [],
    request_id: requestId,
  };
  return {
    name: String(status),
    text: `Refused with ${status} &amp; no more.`,
    requestId: status < 500 ? null : requestId,
    status,
    answer: (route) => route.fulfill({ status, json }),
  };
}

function unreadable(name: string, body: string): Fault {
  const requestId = `request-${name.replaceAll(' ', '-')}`;
  const headers = { [REQUEST_ID_HEADER]: requestId };
  return {
    name,
    text: CONNECTION,
    requestId,
    status: 200,
    answer: (route) => route.fulfill({ status: 200, contentType: 'application/json', headers, body }),
  };
}

export const WRONG_SHAPE = unreadable('wrong shape', '{"unexpected":true}');
/** One of each kind for every call. One without a request of its own stands between two that have one: so each text is known to be new. */
export const KINDS: readonly Fault[] = [
  refusing(500),
  {
    name: 'no answer',
    text: CONNECTION,
    requestId: null,
    status: null,
    answer: (route) => route.abort('connectionreset'),
  },
  WRONG_SHAPE,
];
/** All that a view tells apart. */
export const FAULTS: readonly Fault[] = [
  refusing(404),
  ...KINDS,
  refusing(413),
  unreadable('no JSON', '<html>Bad gateway</html>'),
  refusing(429),
];

export class FakeAnswers {
  /** What the call that is tried gets instead of its answer. */
  #wrong: { call: Call; fault: Fault | 'silence' } | null = null;
  #silent: (() => void)[] = [];
  readonly #good: Partial<Record<Call, unknown>>;

  private constructor(good: Partial<Record<Call, unknown>>) {
    this.#good = good;
  }

  /** `good` answers calls instead of the server, as JSON; all others reach it. */
  static async stand(page: Page, good: Partial<Record<Call, unknown>>): Promise<FakeAnswers> {
    const answers = new FakeAnswers(good);
    await page.route('**/v1/**', (route) => answers.#answer(route));
    return answers;
  }

  async #answer(route: Route): Promise<void> {
    const call = callOf(route.request());
    // A recording that is played.
    if (!call) return route.continue();
    const wrong = this.#wrong?.call === call ? this.#wrong.fault : null;
    if (wrong === 'silence') await new Promise<void>((resolve) => this.#silent.push(resolve));
    else if (wrong) return wrong.answer(route);
    if (call in this.#good) return route.fulfill({ json: this.#good[call] });
    return route.continue();
  }

  /** From now on this call goes wrong so. */
  set(call: Call, fault: Fault | 'silence'): void {
    this.#wrong = { call, fault };
  }

  /** Everything goes well again; what was silent answers now. */
  right(): void {
    this.#wrong = null;
    for (const go of this.#silent.splice(0)) go();
  }
}
