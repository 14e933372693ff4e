/** A way in past the form: a session made over HTTP, put into the page before it starts. */
import type { Page } from '@playwright/test';
import * as v from 'valibot';
import { Memberships } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER, TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { DEMO_EMAIL, DEMO_PASSWORD } from './server.ts';

export type Account = {
  tokens: TokenPair;
  /** Of the playground of the first project, without a query; undefined where there is none. */
  playground: string | undefined;
  /** Of the same project for the speech API. */
  credential: string | undefined;
};

/** Signs an account in without a browser. */
export async function signInByApi(
  url: string,
  { email = DEMO_EMAIL, password = DEMO_PASSWORD } = {},
): Promise<Account> {
  const shell = await fetch(`${url}/signin/`, { headers: { accept: 'text/html' } });
  const csrf = new RegExp(`${CSRF_COOKIE}=([^;]+)`).exec(shell.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const answer = await fetch(`${url}/api/v2/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`${email} cannot sign in: ${await answer.text()}`);
  const tokens = v.parse(TokenPair, await answer.json());
  const listed = await fetch(`${url}/api/v2/user/organizations/`, {
    headers: { authorization: `Bearer ${tokens.access}` },
  });
  const { organizations } = v.parse(Memberships, await listed.json());
  const [organization, project] = [organizations[0]?.organization.uuid, organizations[0]?.projects[0]?.uuid];
  return {
    tokens,
    playground: organization && project && `/org/${organization}/projects/${project}/playground/speech-to-text/`,
    credential: project && `Bearer ${JSON.stringify({ type: 'jwt', project_id: project, token: tokens.access })}`,
  };
}

/** The demo account, which has a project. */
export type DemoAccount = { tokens: TokenPair; playground: string; credential: string };

/** Signs the demo account in without a browser. */
export async function demoAccount(url: string): Promise<DemoAccount> {
  const { tokens, playground, credential } = await signInByApi(url);
  if (!playground || !credential) throw new Error('The demo account has no project.');
  return { tokens, playground, credential };
}

/** Puts a session into the tab when it opens first; signing out later holds. */
export async function storeTokens(page: Page, tokens: TokenPair): Promise<void> {
  await page.addInitScript(
    ({ key, pair }) => {
      if (sessionStorage.getItem('signed in by the test') !== null) return;
      sessionStorage.setItem('signed in by the test', 'yes');
      localStorage.setItem(key, pair);
    },
    { key: TOKEN_STORAGE_KEY, pair: JSON.stringify(tokens) },
  );
}
