/** Plays the part of a browser that signs in by the identity provider. */
import { CSRF_COOKIE } from '#contract/session.ts';
import { SsoRedirect } from '#contract/sso.ts';
import * as v from 'valibot';
import type { TestServer } from '../harness.ts';
import { CSRF, publicCall } from '../browser.ts';

/** One browser's cookies there. */
export type Jar = Map<string, string>;

async function go(jar: Jar, url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, {
    ...init,
    redirect: 'manual',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    jar.set(name, value);
  }
  return answer;
}

/**
 * Walks through the provider's pages, from the address that the console names to its callback; returns the query there.
 * @param answers what is pressed, page by page: an account's `sub` or '' to cancel; then 'allow' or ''
 */
export async function visit(url: string, answers: readonly string[], jar: Jar = new Map()): Promise<string> {
  const left = [...answers];
  let at = url;
  for (let hop = 0; hop < 20; hop += 1) {
    const { pathname, search } = new URL(at);
    if (pathname === '/sso/callback/') return search;
    let answer = await go(jar, at);
    if (answer.status === 200) {
      const pressed = left.shift();
      if (pressed === undefined) throw new Error(`No answer left for: ${await answer.text()}`);
      answer = await go(jar, at, { method: 'POST', body: new URLSearchParams({ answer: pressed }) });
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${answer.status} at ${at}: ${await answer.text()}`);
    at = new URL(next, at).href;
  }
  throw new Error(`The provider leads in circles: ${at}`);
}

/** A browser at the console: keeps the cookie that binds its sign-ins. */
export class SsoBrowser {
  readonly #server: TestServer;
  /** Name and value. */
  cookie: string | undefined;
  constructor(server: TestServer) {
    this.#server = server;
  }

  begin(body: object = {}): Promise<Response> {
    return this.#post('redirect', body);
  }

  /** The page of the provider to go to. */
  async beginAt(body: object = {}): Promise<string> {
    const answer = await this.begin(body);
    this.cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
    return v.parse(SsoRedirect, await answer.json()).url;
  }

  finish(query: string): Promise<Response> {
    return this.#post('token', { query });
  }

  signUp(signup_token: string, more: object = {}): Promise<Response> {
    return this.#post('signup', { signup_token, ...more });
  }

  #post(call: string, body: object): Promise<Response> {
    const cookie = [`${CSRF_COOKIE}=${CSRF}`, ...(this.cookie === undefined ? [] : [this.cookie])].join('; ');
    return publicCall(this.#server, 'POST', `/api/v2/sso/${call}/`, body, { cookie });
  }
}
