/** Other people of a journey, made as they would make themselves: by the mails in the outbox, over HTTP. */
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { PASSWORD } from '../passwords.ts';
import { type Account, signInByApi } from './account.ts';
import { readOutbox } from './server.ts';

export { NEXT_PASSWORD, PASSWORD } from '../passwords.ts';

/** Path of the link in the newest mail to an address; undefined while there is none. `kind` is its first segment. */
export async function linkTo(
  url: string,
  email: string,
  kind: 'signup' | 'password' | 'invite',
): Promise<string | undefined> {
  const outbox = await readOutbox(url);
  const mails = outbox.split('<article').filter((part) => part.includes(`To ${email},`));
  return mails
    .map((mail) => new RegExp(`https?://[^/"]+(/${kind}/[^"<]+)`).exec(mail)?.[1])
    .find((path) => path !== undefined);
}

/** An account of its own, from the first mail to the password; without any organization. */
export async function createAccount(url: string, email: string): Promise<Account> {
  const shell = await fetch(`${url}/signin/`, { headers: { accept: 'text/html' } });
  const csrf = new RegExp(`${CSRF_COOKIE}=([^;]+)`).exec(shell.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const put = (path: string, body: object) =>
    fetch(`${url}/api/v2${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
      body: JSON.stringify(body),
    });
  await put('/signup/verify-email/', { email });
  const activation = await linkTo(url, email, 'signup');
  const activated = await put(activation ?? '', { password: PASSWORD });
  if (!activated.ok) throw new Error(`${email} could not sign up: ${await activated.text()}`);
  return signInByApi(url, { email, password: PASSWORD });
}

/** A call of the main API by an account; `path` is below /api/v2/. */
export function call(url: string, { tokens }: Account, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens.access}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
