/** Other people of a journey, made as they would make themselves: by the mails in the outbox, over HTTP. */
import * as v from 'valibot';
import { OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { PASSWORD } from '../passwords.ts';
import type { Page } from '@playwright/test';
import { type Account, signInByApi, storeTokens } from './account.ts';
import { DEMO_EMAIL, readOutbox } from './server.ts';

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

/** An organization of an account, by its UUID. */
export async function createOrganization(url: string, owner: Account, name: string, contact_email = DEMO_EMAIL) {
  const made = await call(url, owner, 'POST', 'organizations/', { name, contact_email });
  return v.parse(OrganizationCreated, await made.json()).organization.uuid;
}

/** A project of an organization, by its UUID. */
export async function createProject(url: string, owner: Account, orgUuid: string, name: string, description = '') {
  const made = await call(url, owner, 'POST', `organizations/${orgUuid}/projects/`, { name, description });
  return v.parse(ProjectCreated, await made.json()).project.uuid;
}

/** An account joins an organization by an invitation of its owner. `how` is the body of the invitation, without the address. */
export async function join(
  url: string,
  { owner, orgUuid, account, email }: { owner: Account; orgUuid: string; account: Account; email: string },
  how: { role: string; project_uuids?: readonly string[] },
): Promise<void> {
  const invited = await call(url, owner, 'POST', `organizations/${orgUuid}/invite/`, { email, ...how });
  const joined = await call(url, account, 'POST', `organizations${await linkTo(url, email, 'invite')}`);
  if (!invited.ok || !joined.ok) throw new Error(`${email} could not join: ${await joined.text()}`);
}

/** Signs a page in as somebody new, who has a project in which nothing was done. */
export async function arriveAnew(page: Page, url: string, email: string): Promise<Account> {
  const account = await createAccount(url, email);
  await call(url, account, 'POST', 'user/welcome/');
  await storeTokens(page, account.tokens);
  return account;
}
