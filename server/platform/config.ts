/** The settings: the environment, read once and checked as a whole, as the server uses them. */
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

/** Whether an address leads to more than this machine. */
function isPublic(value: string | undefined): boolean {
  return value !== undefined && URL.canParse(value) && !isLoopbackHost(new URL(value).hostname);
}

/** What this version reads. */
const NAMES = Object.keys(Environment.entries);

/** Without these there is no bucket. */
const S3 = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

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

/** The bucket in which recordings are kept, of a service that speaks S3. */
export interface S3Config {
  /** Undefined: AWS, by the region. */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** What the names of all objects begin with: empty, or with a slash at its end. */
  prefix: string;
  /** Whether the bucket stands in the path of an address, not in the host's name. */
  pathStyle: boolean;
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
  /** Where metrics are told; undefined: nowhere. */
  metrics: { host: string; port: number } | undefined;
  /** Address of a collector that takes traces by OTLP; undefined: nothing is traced. */
  tracesTo: string | undefined;
  /** Proxies in front of the server, whose word about who calls counts. */
  trustedProxies: readonly Network[];
  /** What the process does: it answers, it works off jobs, or both. */
  role: 'all' | 'api' | 'worker';
  /** How long the server still takes everything after it has said that it is not ready, seconds: a balancer notices meanwhile. */
  drainNoticeSeconds: number;
  /** How long streams and requests that run may then take to end, seconds. */
  drainSeconds: number;
  /** Absolute path. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** Of the same database, past a pooler. */
  directUrl: string | undefined;
  /** At most, for queries. */
  connections: number;
  /** The longest that a query may take. */
  querySeconds: number;
  /** Undefined: recordings are kept in the data directory. */
  s3: S3Config | undefined;
  /** Whether a server brings the tables up to date as it starts; else only `npm run migrate` does. */
  migrateOnStart: boolean;
  /** Whether payments may be tests in a database where they were real: it is a copy. */
  testPaymentsOnCopy: boolean;
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
  /** Empty: nothing has a price. Undefined: those that the database has. */
  prices: Prices | undefined;
  /** What the first organization of a person begins with, micro-USD; undefined: as the database has it. */
  startingCreditMicros: number | undefined;
  /** Who sells, on receipts, in lines: name, address, tax id. */
  seller: readonly string[];
  /** What part of payments is tax; undefined: receipts say nothing of it. */
  tax: SellerTax | undefined;
  /** What the numbers of receipts begin with: each has a series of its own. */
  receiptSeries: string;
  /** Undefined: payments are a test, and no money moves. */
  stripe: StripeConfig | undefined;
  /** Networks beside the public internet to which webhooks and `audio_url` may lead. */
  outgoingAllowedNetworks: readonly Network[];
  /** Whether recordings are fetched from addresses that clients name (`audio_url`). */
  fetchAudioUrls: boolean;
  demoPassword: string | undefined;
  /** Undefined: made and kept in the data directory. */
  secretKey: string | undefined;
  /** Others that count beside it, while one takes the place of another. */
  acceptedKeys: readonly string[];
  /** How long what grows is kept. */
  keepDays: KeepDays;
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
    // Other services than AWS often have no names for buckets.
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
