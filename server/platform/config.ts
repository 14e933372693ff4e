/** The settings, read from the environment once and checked as a whole. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import { LIVE_PATH } from '#contract/live.ts';
import { Environment } from './environment.ts';
import { isLoopbackHost } from './loopback.ts';
import { misspeltSettings } from './misspelt.ts';
import type { Network } from './networks.ts';
import type { SellerTax } from './seller-tax.ts';
import type { Prices } from './prices.ts';
import { keepDaysOf, type KeepDays } from './retention.ts';

/** Whether a URL leads beyond this machine. */
function isPublic(value: string | undefined): boolean {
  return value !== undefined && URL.canParse(value) && !isLoopbackHost(new URL(value).hostname);
}

const NAMES = Object.keys(Environment.entries);

const S3 = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Another service with the same speech API, used in place of the recognizer. */
export interface UpstreamConfig {
  /** Without `/v1` and trailing slash. */
  url: string;
  key: string;
  /** Full URL of its live socket. */
  streamingUrl: string;
  /** Undefined for its first model that is no alias. */
  liveModel: string | undefined;
  fileModel: string | undefined;
}

/** The OpenID Connect provider by which people sign in. */
export interface SingleSignOnConfig {
  /** Exactly as in the provider's metadata. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The S3 bucket for recordings. */
export interface S3Config {
  /** Undefined for AWS, by region. */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Prefix of all object names: empty, or ending with a slash. */
  prefix: string;
  /** Whether URLs have the bucket in their path, not in the host name. */
  pathStyle: boolean;
}

/** The Stripe account that receives payments. */
export interface StripeConfig {
  secretKey: string;
  /** Signing secrets of its events; more than one during a rotation. */
  webhookSecrets: readonly string[];
}

export interface Config {
  port: number;
  host: string;
  /** Origin at which browsers reach the server; undefined for the address it listens on. */
  publicUrl: string | undefined;
  /** Where to serve metrics; undefined for nowhere. */
  metrics: { host: string; port: number } | undefined;
  /** URL of an OTLP trace collector; undefined for no tracing. */
  tracesTo: string | undefined;
  /** Proxies whose headers about the client's address are trusted. */
  trustedProxies: readonly Network[];
  /** Whether the process answers requests (`api`), runs jobs (`worker`), or both. */
  role: 'all' | 'api' | 'worker';
  /** How long the server takes requests after it reports that it is not ready, seconds, until balancers notice. */
  drainNoticeSeconds: number;
  /** How long running streams and requests may then take to end, seconds. */
  drainSeconds: number;
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** URL of the same database that bypasses a pooler. */
  directUrl: string | undefined;
  /** The largest number of connections for queries. */
  connections: number;
  querySeconds: number;
  /** Undefined if recordings are in the data directory. */
  s3: S3Config | undefined;
  /** Whether a starting server runs migrations; if not, only `npm run migrate` does. */
  migrateOnStart: boolean;
  /** Whether test payments are allowed although payments in this database were real, because it is a copy. */
  testPaymentsOnCopy: boolean;
  smtpUrl: string | undefined;
  product: string;
  productName: string;
  /** Undefined if there is no support address. */
  supportEmail: string | undefined;
  /** Receives wishes for higher limits; undefined for the support address. */
  operatorEmail: string | undefined;
  /**
   * Undefined `docs` and `apiReference` lead to the server's own page; other undefined links are not shown (UXP-31).
   */
  links: Record<'docs' | 'apiReference' | 'repository' | 'community' | 'terms' | 'privacy', string | undefined>;
  /** Empty for the page's own origin. */
  speechBaseUrl: string;
  /** Empty if the page derives it. */
  streamingUrl: string;
  /** Folder that holds Apertium's `modes/`; undefined for no translation. */
  apertiumDir: string | undefined;
  /** Undefined for the embedded recognizer. */
  upstream: UpstreamConfig | undefined;
  /** Undefined for passwords only. */
  singleSignOn: SingleSignOnConfig | undefined;
  /** Empty for no prices; undefined to keep the database's prices. */
  prices: Prices | undefined;
  /** Starting credit of a person's first organization, micro-USD; undefined to keep the database's value. */
  startingCreditMicros: number | undefined;
  /** The seller on receipts, in lines: name, address, tax id. */
  seller: readonly string[];
  /** The tax in payments; undefined if receipts do not mention tax. */
  tax: SellerTax | undefined;
  /** Prefix of receipt numbers; each prefix has a series of its own. */
  receiptSeries: string;
  /** Undefined for test payments, which move no money. */
  stripe: StripeConfig | undefined;
  /** Networks that webhooks and `audio_url` may reach, besides the public internet. */
  outgoingAllowedNetworks: readonly Network[];
  /** Whether to fetch recordings from URLs of clients (`audio_url`). */
  fetchAudioUrls: boolean;
  demoPassword: string | undefined;
  /** Undefined for the secret in the data directory. */
  secretKey: string | undefined;
  /** Further accepted secrets, during a rotation. */
  acceptedKeys: readonly string[];
  keepDays: KeepDays;
  /** Undefined to log requests unless standard error is a terminal. */
  logLevel: LogLevel | undefined;
}

/** Lists every problem of the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads the settings; an empty value counts as not set. @throws ConfigError with all problems */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const problems = misspeltSettings(Object.keys(given), NAMES);
  const result = v.safeParse(Environment, given);
  if (!result.success)
    problems.push(...result.issues.map((issue) => `${v.getDotPath(issue) ?? 'A setting'} ${issue.message}.`));
  if (given['DATABASE_URL'] !== undefined && given['SECRET_KEY'] === undefined)
    problems.push('SECRET_KEY is required together with DATABASE_URL, and must be the same for every process.');
  if (result.success && result.output.ROLE !== 'all' && given['DATABASE_URL'] === undefined)
    problems.push('ROLE needs DATABASE_URL: the embedded database belongs to one process, which does everything.');
  if (given['DATABASE_DIRECT_URL'] !== undefined && given['DATABASE_URL'] === undefined)
    problems.push('DATABASE_DIRECT_URL is set without DATABASE_URL.');
  if (given['SECRET_KEYS_ACCEPTED'] !== undefined && given['SECRET_KEY'] === undefined)
    problems.push('SECRET_KEYS_ACCEPTED is set without SECRET_KEY.');
  if (given['METRICS_HOST'] !== undefined && given['METRICS_PORT'] === undefined)
    problems.push('METRICS_HOST is set without METRICS_PORT.');
  if (result.success && result.output.METRICS_PORT === result.output.PORT && result.output.PORT !== 0)
    problems.push('METRICS_PORT must be another one than PORT: whoever reaches the server shall not read the metrics.');
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
  if (NAMES.some((name) => name.startsWith('S3_') && name in given)) {
    problems.push(
      ...S3.filter((name) => !(name in given)).map(
        (name) => `${name} is missing: recordings in a bucket need ${S3.join(', ')}.`,
      ),
    );
  }
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
    metrics: env.METRICS_PORT === undefined ? undefined : { host: env.METRICS_HOST, port: env.METRICS_PORT },
    tracesTo: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    role: env.ROLE,
    drainNoticeSeconds: env.DRAIN_NOTICE_SECONDS,
    drainSeconds: env.DRAIN_SECONDS,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    directUrl: env.DATABASE_DIRECT_URL,
    connections: env.DATABASE_CONNECTIONS,
    querySeconds: env.DATABASE_QUERY_SECONDS,
    s3: s3Of(env),
    migrateOnStart: env.MIGRATE_ON_START === 'on',
    testPaymentsOnCopy: env.TEST_PAYMENTS_ON_COPY === 'on',
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
    tax: env.SELLER_TAX,
    receiptSeries: env.RECEIPT_SERIES,
    stripe: stripeOf(env),
    outgoingAllowedNetworks: env.OUTGOING_ALLOWED_NETWORKS ?? [],
    fetchAudioUrls: env.FETCH_AUDIO_URLS === 'on',
    demoPassword: env.DEMO_PASSWORD,
    secretKey: env.SECRET_KEY,
    acceptedKeys: env.SECRET_KEYS_ACCEPTED ?? [],
    keepDays: keepDaysOf(env),
    logLevel: env.LOG_LEVEL,
  };
}

function upstreamOf(env: Environment): UpstreamConfig | undefined {
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

function s3Of(env: Environment): S3Config | undefined {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    endpoint: env.S3_ENDPOINT,
    bucket,
    region: env.S3_REGION,
    accessKeyId,
    secretAccessKey,
    prefix: env.S3_PREFIX ? `${env.S3_PREFIX}/` : '',
    // Services other than AWS often have no host names for buckets.
    pathStyle: env.S3_PATH_STYLE === undefined ? env.S3_ENDPOINT !== undefined : env.S3_PATH_STYLE === 'on',
  };
}

function stripeOf({
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRETS: webhookSecrets,
}: Environment): StripeConfig | undefined {
  return secretKey === undefined || webhookSecrets === undefined ? undefined : { secretKey, webhookSecrets };
}

function singleSignOnOf({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
}: Environment): SingleSignOnConfig | undefined {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret };
}
