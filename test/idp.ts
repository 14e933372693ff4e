/** A real OpenID Connect provider on loopback, for tests: people to choose from, a consent page, and a way to refuse. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

export interface IdpAccount {
  /** Never changes, whatever happens to the address. */
  sub: string;
  email: string;
  email_verified: boolean;
  name?: string;
}

export interface Idp {
  /** For the console's server: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET. */
  settings: Record<string, string>;
  port: number;
  /** When set, every visit that would show a page ends with this error instead. */
  refusal: { error: string; error_description?: string } | undefined;
  close(): Promise<void>;
}

const CLIENT_ID = 'console';
const CLIENT_SECRET = 'a secret of the tests';
const CALLBACK = '/sso/callback/';
const HOUR_SECONDS = 3600;

/**
 * Starts the provider. It takes consoles on any port of 127.0.0.1 and localhost, wants PKCE, and tells addresses only to who asks for them.
 *
 * Its pages: 'Who are you?' with one button per account, named by the e-mail address, and 'Cancel'; then, once per
 * browser, 'May the console know who you are?' with 'Allow' and 'Deny'.
 * @param accounts read at each visit, so that it may change
 */
export async function startIdp({
  accounts,
  port = 0,
}: {
  accounts: readonly IdpAccount[];
  port?: number;
}): Promise<Idp> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // The address of a TCP server that listens.
  const address = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        // A native client may come from any port of the machine.
        application_type: 'native',
        redirect_uris: [`http://127.0.0.1${CALLBACK}`, `http://localhost${CALLBACK}`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, sub) => {
      const account = accounts.find((one) => one.sub === sub);
      return account && { accountId: sub, claims: () => ({ ...account }) };
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [await signingKey()] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      Grant: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
    },
  });
  provider.on('server_error', (_context, error) => console.error(error));
  const idp: Idp = {
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET },
    port: address.port,
    refusal: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void callback(request, response);
    interact(provider, { accounts, refusal: idp.refusal }, request, response).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  return idp;
}

async function signingKey(): Promise<Record<string, unknown> & { kty: string }> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { kty = '', ...key } = await exportJWK(privateKey);
  return { ...key, kty, use: 'sig', alg: 'RS256', kid: 'tests' };
}

/** One page of the conversation, or its answer. */
async function interact(
  provider: Provider,
  { accounts, refusal }: { accounts: readonly IdpAccount[]; refusal: Idp['refusal'] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const finish = (result: Parameters<Provider['interactionFinished']>[2], mergeWithLastSubmission = false) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission });
  if (refusal !== undefined) return finish(refusal);
  if (request.method !== 'POST') {
    return void response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(prompt.name === 'login' ? whoAreYou(accounts) : mayIt());
  }
  const answer = (await formOf(request)).get('answer') ?? '';
  if (prompt.name === 'login' && accounts.some(({ sub }) => sub === answer))
    return finish({ login: { accountId: answer } });
  if (prompt.name === 'consent' && answer === 'allow' && session !== undefined) {
    const grant =
      (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
      new provider.Grant({ accountId: session.accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    return finish({ consent: { grantId: await grant.save() } }, true);
  }
  return finish({ error: 'access_denied', error_description: 'The person said no.' });
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

function whoAreYou(accounts: readonly IdpAccount[]): string {
  return page('Who are you?', [...accounts.map(({ sub, email }): [string, string] => [sub, email]), ['', 'Cancel']]);
}

function mayIt(): string {
  return page('May the console know who you are?', [
    ['allow', 'Allow'],
    ['', 'Deny'],
  ]);
}

/** Nothing is escaped: the values come from the tests themselves. */
function page(title: string, buttons: readonly [string, string][]): string {
  const all = buttons.map(([value, name]) => `<button name="answer" value="${value}">${name}</button>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>${title}</title><link rel="icon" href="data:,"></head>
<body><main><h1>${title}</h1><form method="post">${all}</form></main></body></html>`;
}
