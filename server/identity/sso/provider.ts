import { Email, EMAIL_MAX } from '#contract/emails.ts';
import { NAME_MAX } from '#contract/fields.ts';
import * as client from 'openid-client';
import * as v from 'valibot';
import type { SingleSignOnConfig } from '../../platform/config.ts';
import { ApiProblem } from '../../http/errors.ts';
import { textProblem } from '../../http/text.ts';
import type { Log } from '../../platform/log.ts';

/** Longest wait for one answer of the provider, seconds. */
const TIMEOUT_SECONDS = 10;
/** Most of the provider's own words that are shown. */
const WORDS_MAX = 200;

/** What a sign-in under way must be met with again. */
export interface Proofs {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Whom the provider vouches for. */
export interface Person {
  issuer: string;
  /** Never given to another person by the same issuer, unlike an e-mail address. */
  subject: string;
  /** Only where the provider has verified it. */
  verifiedEmail: string | undefined;
  /** May be empty. */
  name: string;
}

const unavailable = (): ApiProblem =>
  new ApiProblem(503, 'sso_unavailable', 'The identity provider does not answer. Please try again later.');
const failed = (): ApiProblem =>
  new ApiProblem(400, 'sso_failed', 'The identity provider did not confirm this sign-in. Please start again.');

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
   * Begins a sign-in: the page of the provider to send the browser to, and what its return is checked against.
   * @throws ApiProblem 503 sso_unavailable
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
   * Ends a sign-in: trades the code in `query`, which the browser came back with, for the person.
   * @throws ApiProblem 400 sso_refused (the provider says no), 400 sso_failed (something does not fit), 503 sso_unavailable
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

  /** What the provider says of itself; asked for at the first sign-in, and again after a failure. */
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

  #refusal(error: unknown): ApiProblem {
    if (error instanceof ApiProblem) return error;
    if (error instanceof client.AuthorizationResponseError) return refused(error);
    this.#warn('a sign-in at the identity provider failed', error);
    return isSilence(error) ? unavailable() : failed();
  }

  /** The kind of an error only: its cause may carry codes, tokens and claims. */
  #warn(message: string, error: unknown): void {
    const { name, code, error: kind, cause } = v.parse(Told, error);
    this.#log.warn({ failure: name, code: code ?? cause?.code, kind, issuer: this.#settings.issuer }, message);
  }
}

/** Providers may tell the address only to who asks for it. */
async function userInfo(
  configuration: client.Configuration,
  accessToken: string,
  claims: client.IDToken,
): Promise<object> {
  const told = claims['email'] !== undefined && claims['email_verified'] !== undefined;
  if (told || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return client.fetchUserInfo(configuration, accessToken, claims.sub);
}

const Told = v.fallback(
  v.object({
    name: v.optional(v.string()),
    code: v.optional(v.string()),
    error: v.optional(v.string()),
    cause: v.fallback(v.optional(v.object({ code: v.optional(v.string()) })), undefined),
  }),
  {},
);

/** By the method that the provider takes; in the header where it does not say. */
function secretOf(clientSecret: string): client.ClientAuth {
  const [post, basic] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)];
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true ? post : basic)(
      server,
      ...rest,
    );
}

/** No answer, or one that does not come from a provider in good health. */
function isSilence(error: unknown): boolean {
  const code = Object(error).code;
  return (
    (error instanceof TypeError && code === undefined) ||
    ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'].includes(code)
  );
}

/** The provider's own words, of a return whose state was right, without what a terminal or page could take for more than words. */
function refused({ error, error_description }: client.AuthorizationResponseError): ApiProblem {
  const words = (error_description ?? error)
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .trim()
    .slice(0, WORDS_MAX);
  if (error === 'access_denied' && error_description === undefined)
    return new ApiProblem(400, 'sso_refused', 'The identity provider did not let you in.');
  return new ApiProblem(400, 'sso_refused', `The identity provider did not let you in. It says: ${words}`);
}

/** In composed letters only: a sign that merely looks like a letter of somebody else's address would become that letter. */
const isAddress = (text: string): boolean =>
  text === text.normalize('NFC') && (v.is(Email, text) || v.is(v.pipe(v.string(), v.rfcEmail()), text));

/** `true` as a text is what some providers send. */
const Verified = v.union([v.literal(true), v.literal('true')]);
const Profile = v.object({
  email: v.fallback(v.optional(v.pipe(v.string(), v.check(isAddress), v.maxLength(EMAIL_MAX))), undefined),
  email_verified: v.fallback(v.optional(Verified), undefined),
  // Without what cannot be stored, or seen.
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
