/** Plays the part of the console's page: keeps the CSRF cookie and sends its token back. */
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import type { TestServer } from '../harness.ts';

export const CSRF = 'x'.repeat(43);

/** A JSON call without login, the way a public page makes it. */
export function publicCall(server: TestServer, method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The activation token in the newest mail of an address. */
export async function activationToken(server: TestServer, email: string): Promise<string> {
  const letter = await server.services.db.selectFrom('outbox').selectAll().where('recipient', '=', email).orderBy('position', 'desc').executeTakeFirstOrThrow();
  const token = /\/signup\/([\w-]+)\//.exec(letter.body_text)?.[1];
  if (token === undefined) throw new Error(`No activation link in: ${letter.body_text}`);
  return token;
}

/** An account made the way people make one. */
export async function signUp(server: TestServer, email: string, password: string): Promise<Response> {
  await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email });
  return publicCall(server, 'PUT', `/api/v2/signup/${await activationToken(server, email)}/`, { password });
}
