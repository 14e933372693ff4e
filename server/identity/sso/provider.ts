import { Email, EMAIL_MAX } from '#contract/emails.ts';
import { NAME_MAX } from '#contract/fields.ts';
import * as client from 'openid-client';
import * as v from 'valibot';
import type { SingleSignOnConfig } from '../../platform/config.ts';
import { Refusal } from '../../platform/refusal.ts';
import { textProblem } from '../../platform/text.ts';
import type { Log } from '../../platform/log.ts';

/** Longest wait for one answer of the provider, seconds. */
const TIMEOUT_SECONDS = 10;
/** Longest part of the provider's error description that is shown, characters. */
const DESCRIPTION_MAX = 200;

/** Secrets of a sign-in under way, to check the browser's return against. */
export interface Proofs {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A person, as the provider has identified them. */
export interface Person {
  issuer: string;
  /** An issuer never gives it to another person, unlike an e-mail address. */
  subject: string;
  /** Undefined unless the provider has verified the address. */
  verifiedEmail: string | undefined;
  /** May be empty. */
  name: string;
}

const unavailable = (): Refusal =>
  new Refusal('unavailable', 'sso_unavailable', 'The identity provider does not answer. Please try again later.');
const failed = (): Refusal =>
  new Refusal('invalid', 'sso_failed', 'The identity provider did not confirm this sign-in. Please start again.');

/** The OpenID Connect provider of the settings: authorization code with PKCE, state and nonce. */
export class IdentityProvider {
  readonly #settings: SingleSignOnConfig;
  readonly #log: Log;
  #discovered: Promise<client.Configuration> | undefined;

  constructor(settings: SingleSignOnConfig, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Begins a sign-in. @returns the provider's page for the browser, and the proofs that its return is checked against
   * @throws Refusal sso_unavailable
   */
  async begin(redirectUri: string): Promise<{ url: string; proofs: Proofs }> {
    const configuration = await this.#configuration();
    const proofs: Proofs = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: proofs.state,
      nonce: proofs.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(proofs.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, proofs };
  }

  /**
   * Ends a sign-in: exchanges the code in the `query` of the browser's return for the person.
   * @throws Refusal sso_refused by the provider, sso_failed for an invalid return, sso_unavailable
   */
  async finish(redirectUri: string, query: URLSearchParams, { state, nonce, codeVerifier }: Proofs): Promise<Person> {
    const configuration = await this.#configuration();
    const returned = new URL(redirectUri);
    returned.search = query.toString();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || textProblem(claims.sub) !== undefined) throw failed();
      return {
        issuer: claims.iss,
        subject: claims.sub,
        ...profileOf({ ...claims, ...(await userInfo(configuration, tokens.access_token, claims)) }),
      };
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /** The provider's metadata, discovered at the first sign-in, and again after a failure. */
  async #configuration(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const discovery = (this.#discovered ??= client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      secretOf(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          client.enableNonRepudiationChecks,
          ...(new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      },
    ));
    try {
      return await discovery;
    } catch (error) {
      if (this.#discovered === discovery) this.#discovered = undefined;
      this.#warn('the identity provider cannot be discovered', error);
      throw unavailable();
    }
  }

  #refusal(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    if (error instanceof client.AuthorizationResponseError) return refused(error);
    this.#warn('a sign-in at the identity provider failed', error);
    return isUnavailable(error) ? unavailable() : failed();
  }

  /** Logs only the kind of an error, because its cause may have codes, tokens and claims. */
  #warn(message: string, error: unknown): void {
    const { name, code, error: kind, cause } = v.parse(ErrorInfo, error);
    this.#log.warn({ failure: name, code: code ?? cause?.code, kind, issuer: this.#settings.issuer }, message);
  }
}

/** Claims of the userinfo endpoint, if the ID token lacks the e-mail address: some providers give it only there. */
async function userInfo(
  configuration: client.Configuration,
  accessToken: string,
  claims: client.IDToken,
): Promise<object> {
  const hasEmail = claims['email'] !== undefined && claims['email_verified'] !== undefined;
  if (hasEmail || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return client.fetchUserInfo(configuration, accessToken, claims.sub);
}

const ErrorInfo = v.fallback(
  v.object({
    name: v.optional(v.string()),
    code: v.optional(v.string()),
    error: v.optional(v.string()),
    cause: v.fallback(v.optional(v.object({ code: v.optional(v.string()) })), undefined),
  }),
  {},
);

/** Sends the client secret in the body if the provider supports that, else in the header. */
function secretOf(clientSecret: string): client.ClientAuth {
  const [post, basic] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)];
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true ? post : basic)(
      server,
      ...rest,
    );
}

/** Whether the provider did not answer, or answered something invalid. */
function isUnavailable(error: unknown): boolean {
  const code = Object(error).code;
  return (
    (error instanceof TypeError && code === undefined) ||
    ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'].includes(code)
  );
}

/** The refusal with the provider's description, without characters that could control a terminal or a page. */
function refused({ error, error_description }: client.AuthorizationResponseError): Refusal {
  const words = (error_description ?? error)
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim()
    .slice(0, DESCRIPTION_MAX);
  if (error === 'access_denied' && error_description === undefined)
    return new Refusal('invalid', 'sso_refused', 'The identity provider did not let you in.');
  return new Refusal('invalid', 'sso_refused', `The identity provider did not let you in. It says: ${words}`);
}

/** Requires composed letters (NFC): normalizing could turn a lookalike into a letter of somebody else's address. */
const isAddress = (text: string): boolean =>
  text === text.normalize('NFC') && (v.is(Email, text) || v.is(v.pipe(v.string(), v.rfcEmail()), text));

/** Some providers send the text 'true'. */
const Verified = v.union([v.literal(true), v.literal('true')]);
const Profile = v.object({
  email: v.fallback(v.optional(v.pipe(v.string(), v.check(isAddress), v.maxLength(EMAIL_MAX))), undefined),
  email_verified: v.fallback(v.optional(Verified), undefined),
  // Without control characters and lone surrogates.
  name: v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.transform((name) => name.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')),
        v.trim(),
      ),
      '',
    ),
    '',
  ),
});

function profileOf(claims: unknown): { verifiedEmail: string | undefined; name: string } {
  const { email, email_verified, name } = v.parse(Profile, claims);
  return { verifiedEmail: email_verified === undefined ? undefined : email, name: name.slice(0, NAME_MAX) };
}
