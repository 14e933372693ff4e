/** The schema of the environment: name, shape and default of each setting. */
import { accessSync, constants } from 'node:fs';
import * as v from 'valibot';
import { Email } from '#contract/emails.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from '#contract/passwords.ts';
import { parseNetworks, type Network } from './networks.ts';
import { MICROS_PER_USD, parsePrices, type Prices } from './prices.ts';
import { parseSellerTax } from './seller-tax.ts';

/** Where distributions put Apertium. */
export const APERTIUM_HOME = '/usr/share/apertium';

/** Whether a file may be run. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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

const PORT_TEXT = 'must be a number from 0 to 65535';
const portNumber = v.pipe(text, v.regex(/^\d{1,5}$/, PORT_TEXT), v.transform(Number), v.maxValue(65_535, PORT_TEXT));

/** A whole number. */
function count(least: number, most: number) {
  return v.pipe(
    text,
    v.regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`),
    v.transform(Number),
    v.minValue(least, `must be a whole number from ${least} to ${most}`),
    v.maxValue(most, `must be a whole number from ${least} to ${most}`),
  );
}

const FOREVER = 'forever';
const DAYS_TEXT = `must be whole days from 1 to 36500, or ${FOREVER}`;
/** A number of days to keep something; `forever` becomes undefined. */
const days = v.pipe(
  text,
  v.regex(/^(forever|[1-9]\d{0,4})$/, DAYS_TEXT),
  v.transform((value) => (value === FOREVER ? undefined : Number(value))),
  v.check((value) => value === undefined || value <= 36_500, DAYS_TEXT),
);

/**
 * Whether traffic with the identity provider, which decides who is signed in, is encrypted or stays on this machine.
 */
function isSafeIssuer(value: string): boolean {
  return protocolOf(value) !== 'http:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(value).hostname);
}

export const Environment = v.object({
  PORT: v.optional(portNumber, '8080'),
  HOST: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), '127.0.0.1'),
  PUBLIC_URL: v.optional(
    v.pipe(
      webAddress,
      v.transform((value) => new URL(value).origin),
    ),
  ),
  METRICS_PORT: v.optional(portNumber),
  METRICS_HOST: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), '127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(webAddress),
  TRUSTED_PROXIES: v.optional(networks),
  DATA_DIR: v.optional(v.pipe(text, v.nonEmpty('must not be empty')), './data'),
  DATABASE_URL: v.optional(address('postgres:', 'postgresql:')),
  DATABASE_DIRECT_URL: v.optional(address('postgres:', 'postgresql:')),
  DATABASE_CONNECTIONS: v.optional(count(1, 1000), '10'),
  DATABASE_QUERY_SECONDS: v.optional(count(1, 3600), '60'),
  ROLE: v.optional(v.picklist(['all', 'api', 'worker'], 'must be all, api or worker'), 'all'),
  DRAIN_NOTICE_SECONDS: v.optional(count(0, 600), '0'),
  DRAIN_SECONDS: v.optional(count(0, 86_400), '30'),
  S3_ENDPOINT: v.optional(webAddress),
  S3_BUCKET: v.optional(v.pipe(text, v.regex(/^[\w.-]{3,255}$/, 'must be the name of a bucket'))),
  S3_REGION: v.optional(v.pipe(text, v.regex(/^[\w-]+$/, 'must be the name of a region')), 'us-east-1'),
  S3_ACCESS_KEY_ID: v.optional(v.pipe(text, v.regex(/^[\x21-\x7e]+$/, 'must be a key without blanks'))),
  S3_SECRET_ACCESS_KEY: v.optional(v.pipe(text, v.regex(/^[\x21-\x7e]+$/, 'must be a key without blanks'))),
  S3_PREFIX: v.optional(
    v.pipe(
      text,
      v.regex(/^[\w./-]{1,200}$/, 'must be letters, digits, and . _ - /'),
      v.transform((value) => value.replace(/^\/+|\/+$/g, '')),
    ),
  ),
  S3_PATH_STYLE: v.optional(v.picklist(['on', 'off'], 'must be on or off')),
  MIGRATE_ON_START: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  TEST_PAYMENTS_ON_COPY: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
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
  // Read by the decoder and by the processes of the recognizer; here only checked.
  FFMPEG_PATH: v.optional(v.pipe(text, v.check(isProgram, 'must be the path of a program that may be run'))),
  PARLANCE_RUNTIME: v.optional(v.pipe(text, v.picklist(['native', 'wasm'], 'must be native or wasm'))),
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
  SPEECH_PRICES: v.optional(prices),
  STARTING_CREDIT: v.optional(
    v.pipe(
      text,
      v.regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in USD such as 10 or 2.50'),
      v.transform((value) => Math.round(Number(value) * MICROS_PER_USD)),
    ),
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
  SELLER_TAX: v.optional(
    v.pipe(
      text,
      v.transform(parseSellerTax),
      v.check(
        (value) => value !== undefined,
        'must be a country and a rate in percent such as DE 19; payments include the tax, so it cannot come on top',
      ),
    ),
  ),
  RECEIPT_SERIES: v.optional(
    v.pipe(
      text,
      v.regex(/^(?!TEST-)[A-Z0-9][A-Z0-9-]{0,19}$/, 'must be 1 to 20 of A-Z, 0-9 and -, and not begin with TEST-'),
    ),
    'R',
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
  SECRET_KEYS_ACCEPTED: v.optional(
    v.pipe(
      text,
      v.transform((value) => value.split(',').map((key) => key.trim())),
      v.array(v.pipe(v.string(), v.minLength(32, 'must be keys of at least 32 characters, separated by commas'))),
    ),
  ),
  KEEP_USAGE_DAYS: v.optional(days),
  KEEP_AUDIT_DAYS: v.optional(days),
  KEEP_RECORDINGS_DAYS: v.optional(days),
  KEEP_TRANSCRIPTIONS_DAYS: v.optional(days),
  KEEP_LIVE_SESSIONS_DAYS: v.optional(days, '90'),
  KEEP_DEAD_JOBS_DAYS: v.optional(days, '90'),
  KEEP_MAILS_DAYS: v.optional(days, '30'),
  LOG_LEVEL: v.optional(
    v.picklist(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
  ),
});
export type Environment = v.InferOutput<typeof Environment>;
