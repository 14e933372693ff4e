/** Plays the part of the console's page: keeps the CSRF cookie and sends its token back. */
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import type { TestServer } from './harness.ts';

export const CSRF = 'x'.repeat(43);

/** A JSON call without login, the way a public page makes it. */
export function publicCall(
  server: TestServer,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A call with an access token. */
export function bearerCall(
  server: TestServer,
  access: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return server.call({ access }, method, path, body);
}

/** The mails to an address, oldest first. */
export function mailsTo(
  server: TestServer,
  email: string,
): Promise<{ subject: string; body_text: string; body_html: string }[]> {
  return server.services.db
    .selectFrom('outbox')
    .select(['subject', 'body_text', 'body_html'])
    .where('recipient', '=', email)
    .orderBy('position')
    .execute();
}

/** The token of a link such as `/signup/…/` in the newest mail to an address. */
export async function linkToken(server: TestServer, email: string, folder: string): Promise<string> {
  const text = (await mailsTo(server, email)).at(-1)?.body_text ?? '';
  const token = new RegExp(`/${folder}/([\\w-]+)/`).exec(text)?.[1];
  if (token === undefined) throw new Error(`No link to /${folder}/ in: ${text}`);
  return token;
}

/** The activation token in the newest mail of an address. */
export function activationToken(server: TestServer, email: string): Promise<string> {
  return linkToken(server, email, 'signup');
}

/** An account made the way people make one. */
export async function signUp(server: TestServer, email: string, password: string): Promise<Response> {
  await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email });
  return publicCall(server, 'PUT', `/api/v2/signup/${await activationToken(server, email)}/`, { password });
}
