/** The settings: environment, read once, checked as a whole. Each has a default that needs nothing outside. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import { Email } from '#contract/emails.ts';
import { LIVE_PATH } from '#contract/live.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '#contract/passwords.ts';
import { isLoopbackHost } from './loopback.ts';
import { misspeltSettings } from './misspelt.ts';
import { parseNetworks, type Network } from './networks.ts';
import { MICROS_PER_USD, parsePrices, type Prices } from './prices.ts';

/** Where distributions put Apertium. */
export const APERTIUM_HOME = '/usr/share/apertium';

const URL_TEXT = 'must be a full address such as https://example.com';
const text = v.pipe(v.string(), v.trim());
const webAddress = v.pipe(
  text,
  v.check((value) => /^https?:$/.test(protocolOf(value) ?? ''), URL_TEXT),
);

function protocolOf(value: string): string | undefined {
  return URL.canParse(value) ? new URL(value).protocol : undefined;
}

const PRICES_TEXT = 'must be prices in USD per hour of audio such as async=0.10,live=0.12, or none';
const prices = v.pipe(
  text,
  v.transform(parsePrices),
  v.check((value) => value !== undefined, PRICES_TEXT),
  v.transform((value): Prices => value ?? new Map()),
);

const NETWORKS_TEXT = 'must be addresses and networks, separated by commas, such as 10.0.0.0/8,::1';
const networks = v.pipe(
  text,
  v.transform(parseNetworks),
  v.check((value) => value !== undefined, NETWORKS_TEXT),
  v.transform((value): Network[] => value ?? []),
);

function address(...protocols: string[]) {
  return v.pipe(
    text,
    v.check(
      (value) => protocols.includes(protocolOf(value) ?? ''),
      `must be an address that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    ),
  );
}

/** What travels to the identity provider and back decides who is signed in: it must be encrypted, or not leave the machine. */
function isSafeIssuer(value: string): boolean {
  return protocolOf(value) !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(value).hostname);
}

/** Whether an address leads to more than this machine. */
function isPublic(value: string | undefined): boolean {
  return value !== undefined && URL.canParse(value) && !isLoopbackHost(new URL(value).hostname);
}

const Environment = v.object({
  PORT: v.optional(
    v.pipe(
      text,
      v.regex(/^\d{1,5}$/, 'must be a number from 0 to 65535'),
      v.transform(Number),
      v.maxValue(65_535, 'must be a number from 0 to 65535'),
    ),
    '8080',
  ),
  HOST: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), '127.0.0.1'),
  PUBLIC_URL: v.optional(
    v.pipe(
      webAddress,
      v.transform((value) => new URL(value).origin),
    ),
  ),
  TRUSTED_PROXIES: v.optional(networks),
  DATA_DIR: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), './data'),
  DATABASE_URL: v.optional(address('postgres:', 'postgresql:')),
  SMTP_URL: v.optional(address('smtp:', 'smtps:')),
  PRODUCT: v.optional(
    v.pipe(text, v.regex(/^[a-z][a-z0-9_-]*$/, 'must be lower case letters, digits, - and _')),
    'parlance',
  ),
  PRODUCT_NAME: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), 'Parlance'),
  SUPPORT_EMAIL: v.optional(
    v.pipe(
      text,
      v.check((value) => v.is(Email, value), 'must be an e-mail address'),
    ),
  ),
  OPERATOR_EMAIL: v.optional(
    v.pipe(
      text,
      v.check((value) => v.is(Email, value), 'must be an e-mail address'),
    ),
  ),
  DOCS_URL: v.optional(webAddress),
  API_REFERENCE_URL: v.optional(webAddress),
  REPOSITORY_URL: v.optional(webAddress),
  COMMUNITY_URL: v.optional(webAddress),
  TERMS_URL: v.optional(webAddress),
  PRIVACY_URL: v.optional(webAddress),
  SPEECH_BASE_URL: v.optional(webAddress),
  STREAMING_URL: v.optional(address('ws:', 'wss:')),
  APERTIUM_DIR: v.optional(
    v.pipe(
      text,
      v.check((value) => value === 'none' || value.startsWith('/'), 'must be a full path, or none'),
    ),
    APERTIUM_HOME,
  ),
  SPEECH_UPSTREAM_URL: v.optional(
    v.pipe(
      webAddress,
      v.transform((value) => value.replace(/\/+$/, '').replace(/\/v1$/, '')),
    ),
  ),
  SPEECH_UPSTREAM_KEY: v.optional(v.pipe(text, v.regex(/^[\x21-\x7e]+$/, 'must be a key without blanks'))),
  SPEECH_UPSTREAM_STREAMING_URL: v.optional(address('ws:', 'wss:')),
  SPEECH_UPSTREAM_LIVE_MODEL: v.optional(text),
  SPEECH_UPSTREAM_FILE_MODEL: v.optional(text),
  OIDC_ISSUER: v.optional(
    v.pipe(
      webAddress,
      v.check(isSafeIssuer, 'must start with https://, unless the identity provider is on this machine'),
    ),
  ),
  OIDC_CLIENT_ID: v.optional(text),
  OIDC_CLIENT_SECRET: v.optional(text),
  SPEECH_PRICES: v.optional(prices, 'async=0.10,live=0.12'),
  STARTING_CREDIT: v.optional(
    v.pipe(
      text,
      v.regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in USD such as 10 or 2.50'),
      v.transform((value) => Math.round(Number(value) * MICROS_PER_USD)),
    ),
    '10',
  ),
  SELLER: v.optional(
    v.pipe(
      text,
      v.maxLength(500, 'must have at most 500 characters'),
      v.transform((value) =>
        value
          .split('|')
          .map((line) => line.trim())
          .filter(Boolean),
      ),
    ),
    '',
  ),
  STRIPE_SECRET_KEY: v.optional(
    v.pipe(text, v.regex(/^(sk|rk)_\w+$/, 'must be a secret key of Stripe, which starts with sk_ or rk_')),
  ),
  STRIPE_WEBHOOK_SECRETS: v.optional(
    v.pipe(
      text,
      v.transform((value) => value.split(',').map((secret) => secret.trim())),
      v.array(v.pipe(v.string(), v.regex(/^whsec_\S+$/, 'must be signing secrets that start with whsec_'))),
    ),
  ),
  OUTGOING_ALLOWED_NETWORKS: v.optional(networks),
  FETCH_AUDIO_URLS: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
  DEMO_PASSWORD: v.optional(
    v.pipe(
      v.string(),
      v.minLength(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`),
      v.maxLength(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`),
    ),
  ),
  SECRET_KEY: v.optional(v.pipe(v.string(), v.minLength(32, 'must have at least 32 characters'))),
  LOG_LEVEL: v.optional(
    v.picklist(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
  ),
});

/** Settings of parts that are not in this version: refused rather than silently ignored. */
const NOT_YET = /^S3_[A-Z_]+$/;

/** What this version reads. */
const NAMES = Object.keys(Environment.entries);

const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Another service with the same speech API, which then does the recognizer's work. */
export interface UpstreamConfig {
  /** Without `/v1` and trailing slash. */
  url: string;
  key: string;
  /** Of its live socket, in full. */
  streamingUrl: string;
  /** Undefined: its first model that is no alias. */
  liveModel: string | undefined;
  fileModel: string | undefined;
}

/** The OpenID Connect provider by which people sign in. */
export interface SingleSignOnConfig {
  /** As the provider writes it in its own metadata. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The account at Stripe by which people pay. */
export interface StripeConfig {
  secretKey: string;
  /** What its events are signed with; several while one takes the place of another. */
  webhookSecrets: readonly string[];
}

export interface Config {
  port: number;
  host: string;
  /** Origin under which browsers reach the server; undefined: the address it listens on. */
  publicUrl: string | undefined;
  /** Proxies in front of the server, whose word about who calls counts. */
  trustedProxies: readonly Network[];
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  smtpUrl: string | undefined;
  product: string;
  productName: string;
  /** Undefined: nobody has been named whom people could write to. */
  supportEmail: string | undefined;
  /** Whom wishes for higher limits are mailed to; undefined: the support. */
  operatorEmail: string | undefined;
  /** Undefined `docs` and `apiReference`: the server's own page; any other: there is no such place, so no link (UXP-31). */
  links: Record<'docs' | 'apiReference' | 'repository' | 'community' | 'terms' | 'privacy', string | undefined>;
  /** Empty: the page's own origin. */
  speechBaseUrl: string;
  /** Empty: derived by the page. */
  streamingUrl: string;
  /** Folder that holds Apertium's `modes/`; undefined: no translation. */
  apertiumDir: string | undefined;
  /** Undefined: the embedded recognizer. */
  upstream: UpstreamConfig | undefined;
  /** Undefined: only passwords. */
  singleSignOn: SingleSignOnConfig | undefined;
  /** Empty: nothing has a price. */
  prices: Prices;
  /** What a new organization begins with, micro-USD. */
  startingCreditMicros: number;
  /** Who sells, on receipts, in lines: name, address, tax id. */
  seller: readonly string[];
  /** Undefined: payments are a test, and no money moves. */
  stripe: StripeConfig | undefined;
  /** Networks beside the public internet to which webhooks and `audio_url` may lead. */
  outgoingAllowedNetworks: readonly Network[];
  /** Whether recordings are fetched from addresses that clients name (`audio_url`). */
  fetchAudioUrls: boolean;
  demoPassword: string | undefined;
  /** Undefined: made and kept in the data directory. */
  secretKey: string | undefined;
  /** Undefined: requests are logged unless a person looks at the terminal. */
  logLevel: LogLevel | undefined;
}

/** All that is wrong with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads the settings; an empty value counts as not set. @throws ConfigError with every problem at once. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const problems = Object.keys(given)
    .filter((name) => NOT_YET.test(name))
    .map((name) => `${name} is set, but this version cannot use it yet.`);
  problems.push(...misspeltSettings(Object.keys(given), NAMES));
  const result = v.safeParse(Environment, given);
  if (!result.success)
    problems.push(...result.issues.map((issue) => `${v.getDotPath(issue) ?? 'A setting'} ${issue.message}.`));
  if (given['DATABASE_URL'] !== undefined && given['SECRET_KEY'] === undefined)
    problems.push('SECRET_KEY is required together with DATABASE_URL, and must be the same for every process.');
  if (isPublic(given['PUBLIC_URL']) && given['SMTP_URL'] === undefined) {
    problems.push(
      'SMTP_URL is required together with a PUBLIC_URL that others can reach: without a mail server nobody gets the links by which people sign up and recover their passwords.',
    );
  }
  for (const name of Object.keys(given)) {
    if (/^SPEECH_UPSTREAM_(?!URL$)/.test(name) && given['SPEECH_UPSTREAM_URL'] === undefined)
      problems.push(`${name} is set without SPEECH_UPSTREAM_URL.`);
  }
  if (given['SPEECH_UPSTREAM_URL'] !== undefined && given['SPEECH_UPSTREAM_KEY'] === undefined)
    problems.push('SPEECH_UPSTREAM_KEY is required together with SPEECH_UPSTREAM_URL.');
  if (OIDC.some((name) => name in given)) {
    problems.push(
      ...OIDC.filter((name) => !(name in given)).map(
        (name) => `${name} is missing: single sign-on needs ${OIDC.join(', ')}.`,
      ),
    );
  }
  if ((given['STRIPE_SECRET_KEY'] === undefined) !== (given['STRIPE_WEBHOOK_SECRETS'] === undefined))
    problems.push(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS are required together: money counts only once Stripe tells of it.',
    );
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const env = result.output;
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.PUBLIC_URL,
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    smtpUrl: env.SMTP_URL,
    product: env.PRODUCT,
    productName: env.PRODUCT_NAME,
    supportEmail: env.SUPPORT_EMAIL,
    operatorEmail: env.OPERATOR_EMAIL,
    links: {
      docs: env.DOCS_URL,
      apiReference: env.API_REFERENCE_URL,
      repository: env.REPOSITORY_URL,
      community: env.COMMUNITY_URL,
      terms: env.TERMS_URL,
      privacy: env.PRIVACY_URL,
    },
    speechBaseUrl: env.SPEECH_BASE_URL ?? '',
    streamingUrl: env.STREAMING_URL ?? '',
    apertiumDir: env.APERTIUM_DIR === 'none' ? undefined : env.APERTIUM_DIR,
    upstream: upstreamOf(env),
    singleSignOn: singleSignOnOf(env),
    prices: env.SPEECH_PRICES,
    startingCreditMicros: env.STARTING_CREDIT,
    seller: env.SELLER.length > 0 ? env.SELLER : [env.PRODUCT_NAME],
    stripe: stripeOf(env),
    outgoingAllowedNetworks: env.OUTGOING_ALLOWED_NETWORKS ?? [],
    fetchAudioUrls: env.FETCH_AUDIO_URLS === 'on',
    demoPassword: env.DEMO_PASSWORD,
    secretKey: env.SECRET_KEY,
    logLevel: env.LOG_LEVEL,
  };
}

function upstreamOf(env: v.InferOutput<typeof Environment>): UpstreamConfig | undefined {
  const { SPEECH_UPSTREAM_URL: url, SPEECH_UPSTREAM_KEY: key } = env;
  if (url === undefined || key === undefined) return undefined;
  return {
    url,
    key,
    streamingUrl: env.SPEECH_UPSTREAM_STREAMING_URL ?? `${url.replace(/^http/i, 'ws')}${LIVE_PATH}`,
    liveModel: env.SPEECH_UPSTREAM_LIVE_MODEL,
    fileModel: env.SPEECH_UPSTREAM_FILE_MODEL,
  };
}

function stripeOf({
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRETS: webhookSecrets,
}: v.InferOutput<typeof Environment>): StripeConfig | undefined {
  return secretKey === undefined || webhookSecrets === undefined ? undefined : { secretKey, webhookSecrets };
}

function singleSignOnOf({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
}: v.InferOutput<typeof Environment>): SingleSignOnConfig | undefined {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret };
}
