import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, loadConfig } from '#server/platform/config.ts';
import { loadSecret } from '#server/platform/secrets.ts';
import { referenceLinks } from '#server/http/openapi/more-info.ts';
import { senderOf } from '#server/platform/mail/create.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('config', () => {
  it('needs nothing', () => {
    expect(loadConfig({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      dataDir: resolve('./data'),
      publicUrl: undefined,
      databaseUrl: undefined,
      smtpUrl: undefined,
      secretKey: undefined,
    });
  });

  it('OPS-60 tells metrics where METRICS_PORT says, on loopback unless told otherwise', () => {
    expect(loadConfig({}).metrics).toBeUndefined();
    expect(loadConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(loadConfig({ METRICS_PORT: '9464', METRICS_HOST: '::' }).metrics).toEqual({ host: '::', port: 9464 });
    expect(problemsOf({ METRICS_HOST: '::' })).toEqual(['METRICS_HOST is set without METRICS_PORT.']);
    expect(problemsOf({ METRICS_PORT: 'x' })).toEqual(['METRICS_PORT must be a number from 0 to 65535.']);
    expect(problemsOf({ METRICS_PORT: '8080' })).toEqual([
      'METRICS_PORT must be another one than PORT: whoever reaches the server shall not read the metrics.',
    ]);
  });

  it('OPS-71 keeps what others own for good, and debris for a while, unless told otherwise in whole days', () => {
    const forGood = { usage: undefined, audit: undefined, recordings: undefined, transcriptions: undefined };
    expect(loadConfig({}).keepDays).toEqual({ ...forGood, liveSessions: 90, deadJobs: 90, mails: 30 });
    expect(
      loadConfig({
        KEEP_USAGE_DAYS: '400',
        KEEP_AUDIT_DAYS: '1',
        KEEP_RECORDINGS_DAYS: '30',
        KEEP_TRANSCRIPTIONS_DAYS: '36500',
        KEEP_LIVE_SESSIONS_DAYS: '7',
        KEEP_DEAD_JOBS_DAYS: 'forever',
        KEEP_MAILS_DAYS: '2',
      }).keepDays,
    ).toEqual({
      usage: 400,
      audit: 1,
      recordings: 30,
      transcriptions: 36_500,
      liveSessions: 7,
      deadJobs: undefined,
      mails: 2,
    });
    for (const value of ['0', '-1', '1.5', '36501', '30d', 'never'])
      expect(problemsOf({ KEEP_AUDIT_DAYS: value })).toEqual([
        'KEEP_AUDIT_DAYS must be whole days from 1 to 36500, or forever.',
      ]);
  });

  it('takes an empty value for none', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '  ', S3_BUCKET: '' })).toMatchObject({
      port: 8080,
      databaseUrl: undefined,
    });
  });

  it('keeps the origin of the public address', () => {
    expect(
      loadConfig({ PUBLIC_URL: 'https://console.example.com:8443/some/path/', SMTP_URL: 'smtp://mail' }).publicUrl,
    ).toBe('https://console.example.com:8443');
  });

  it('reports everything that is wrong at once', () => {
    expect(
      problemsOf({
        PORT: 'http',
        PUBLIC_URL: 'example.com',
        SUPPORT_EMAIL: 'me',
        DEMO_PASSWORD: 'short',
        LOG_LEVEL: 'loud',
        SMTP_URL: 'http://mail',
      }),
    ).toEqual([
      'PORT must be a number from 0 to 65535.',
      'PUBLIC_URL must be a full address such as https://example.com.',
      'SMTP_URL must be an address that starts with smtp:// or smtps://.',
      'SUPPORT_EMAIL must be an e-mail address.',
      'DEMO_PASSWORD must have at least 12 characters.',
      'LOG_LEVEL must be debug, info, warn, error or silent.',
    ]);
  });

  it('OPS-45: reads the bucket for recordings, whose name and key it needs together', () => {
    const named = { S3_BUCKET: 'recordings', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const read = { bucket: 'recordings', accessKeyId: 'id', secretAccessKey: 'secret', region: 'us-east-1' };
    expect(loadConfig({}).s3).toBeUndefined();
    expect(loadConfig(named).s3).toEqual({ ...read, endpoint: undefined, prefix: '', pathStyle: false });
    expect(
      loadConfig({ ...named, S3_ENDPOINT: 'https://s3.example.com', S3_PREFIX: '/a/b/', S3_REGION: 'eu-1' }).s3,
    ).toEqual({ ...read, endpoint: 'https://s3.example.com', region: 'eu-1', prefix: 'a/b/', pathStyle: true });
    expect(loadConfig({ ...named, S3_PATH_STYLE: 'on' }).s3?.pathStyle).toBe(true);
    const needs = 'recordings in a bucket need S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY.';
    expect(problemsOf({ S3_ENDPOINT: 'x', S3_BUCKET: 'a bucket', S3_PREFIX: 'ä', S3_PATH_STYLE: 'yes' })).toEqual([
      'S3_ENDPOINT must be a full address such as https://example.com.',
      'S3_BUCKET must be the name of a bucket.',
      'S3_PREFIX must be letters, digits, and . _ - /.',
      'S3_PATH_STYLE must be on or off.',
      `S3_ACCESS_KEY_ID is missing: ${needs}`,
      `S3_SECRET_ACCESS_KEY is missing: ${needs}`,
    ]);
    expect(problemsOf({ S3_REGION: 'eu-1' })).toHaveLength(3);
    expect(problemsOf({ S3_SECRET_KEY: 'x', S3_BUCKETS: 'x' })).toEqual([
      'Unknown setting S3_BUCKETS, did you mean S3_BUCKET?',
    ]);
  });

  it('PAY-01: takes the key of Stripe with the secrets of its webhook only', () => {
    const together =
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS are required together: money counts only once Stripe tells of it.';
    expect(problemsOf({ STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([together]);
    expect(problemsOf({ STRIPE_WEBHOOK_SECRETS: 'whsec_1' })).toEqual([together]);
    expect(problemsOf({ STRIPE_SECRET_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRETS: 'whsec_1,x' })).toEqual([
      'STRIPE_SECRET_KEY must be a secret key of Stripe, which starts with sk_ or rk_.',
      'STRIPE_WEBHOOK_SECRETS.1 must be signing secrets that start with whsec_.',
    ]);
    expect(loadConfig({ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRETS: 'whsec_1, whsec_2' }).stripe).toEqual({
      secretKey: 'sk_test_1',
      webhookSecrets: ['whsec_1', 'whsec_2'],
    });
  });

  it('PAY-07: reads who sells, line by line; by the name of the product where nobody is named', () => {
    expect(loadConfig({ SELLER: ' Parlance Ltd | 1 Main Street|| VAT GB1 ' }).seller).toEqual([
      'Parlance Ltd',
      '1 Main Street',
      'VAT GB1',
    ]);
    expect([loadConfig({}).receiptSeries, loadConfig({ RECEIPT_SERIES: ' B-2026 ' }).receiptSeries]).toEqual([
      'R',
      'B-2026',
    ]);
    expect(['DE 19', 'FR 5.5%', 'EL 24 inclusive', ' '].map((SELLER_TAX) => loadConfig({ SELLER_TAX }).tax)).toEqual([
      { country: 'DE', rate: 19_000 },
      { country: 'FR', rate: 5500 },
      { country: 'GR', rate: 24_000 },
      undefined,
    ]);
    for (const SELLER_TAX of ['19', 'de 19', 'DE 119', 'DE 19 exclusive'])
      expect(() => loadConfig({ SELLER_TAX })).toThrow('SELLER_TAX must be a country and a rate in percent');
    for (const RECEIPT_SERIES of ['b', 'TEST-R', 'R_1', '-R', 'R'.repeat(21)])
      expect(() => loadConfig({ RECEIPT_SERIES })).toThrow('RECEIPT_SERIES must be 1 to 20 of A-Z');
    expect(loadConfig({ PRODUCT_NAME: 'Echo', SELLER: ' | ' }).seller).toEqual(['Echo']);
    expect(loadConfig({ PRODUCT_NAME: 'Echo' }).seller).toEqual(['Echo']);
  });

  it('LED-05: reads the starting credit in USD, or that none is set', () => {
    expect(loadConfig({}).startingCreditMicros).toBeUndefined();
    expect(loadConfig({ STARTING_CREDIT: '2.50' }).startingCreditMicros).toBe(2_500_000);
    expect(problemsOf({ STARTING_CREDIT: '-1' })).toEqual([
      'STARTING_CREDIT must be an amount in USD such as 10 or 2.50.',
    ]);
  });

  it.each([
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['TRUSTED_PROXIS', 'TRUSTED_PROXIES'],
    ['trusted_proxies', 'TRUSTED_PROXIES'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_DRI', 'DATA_DIR'],
    ['SMTPS_URL', 'SMTP_URL'],
    ['SPEECH_PRICE', 'SPEECH_PRICES'],
    ['OUTGOING_ALLOWED_NETWORK', 'OUTGOING_ALLOWED_NETWORKS'],
    ['FETCH_AUDIO_URL', 'FETCH_AUDIO_URLS'],
    ['SECRETKEY', 'SECRET_KEY'],
  ])('SEC-01 refuses %s, which is nearly %s, rather than ignore it', (name, meant) => {
    expect(problemsOf({ [name]: 'x' })).toEqual([`Unknown setting ${name}, did you mean ${meant}?`]);
  });

  it('SEC-01 leaves alone what is of other programs, and what is empty', () => {
    const foreign = [
      'PATH HOME HOSTNAME HOSTS PORTS PWD OLDPWD SHELL LANG LC_ALL TERM TMPDIR USER NODE_ENV NODE_OPTIONS',
      'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy XDG_DATA_DIRS XDG_DATA_HOME DB_URL REDIS_URL HTTP_URL',
      'JOBS_URL CORS_URL BASE_URL SECRET_KEY_BASE PGDATA POSTGRES_BIN PRODUCTS PUBLIC_KEY SSH_AUTH_SOCK',
      'DOCKER_HOST KUBERNETES_PORT CI FUZZ_SEED BENCH_SCALE TEST_POSTGRES INVOCATION_ID LOGNAME',
    ].flatMap((line) => line.split(' '));
    expect(problemsOf(Object.fromEntries(foreign.map((name) => [name, 'x'])))).toEqual([]);
    expect(problemsOf({ TRUSTED_PROXY: '' })).toEqual([]);
  });

  it('wants all that an upstream needs, and nothing that is left over', () => {
    const upstream = { SPEECH_UPSTREAM_URL: 'https://speech.example/v1/', SPEECH_UPSTREAM_KEY: 'k' };
    expect(loadConfig(upstream).upstream).toEqual({
      url: 'https://speech.example',
      key: 'k',
      streamingUrl: 'wss://speech.example/transcribe-websocket',
      liveModel: undefined,
      fileModel: undefined,
    });
    expect(
      loadConfig({
        ...upstream,
        SPEECH_UPSTREAM_STREAMING_URL: 'wss://live.example/x',
        SPEECH_UPSTREAM_LIVE_MODEL: 'a',
        SPEECH_UPSTREAM_FILE_MODEL: 'b',
      }).upstream,
    ).toMatchObject({ streamingUrl: 'wss://live.example/x', liveModel: 'a', fileModel: 'b' });
    expect(problemsOf({ SPEECH_UPSTREAM_URL: 'https://speech.example' })).toEqual([
      'SPEECH_UPSTREAM_KEY is required together with SPEECH_UPSTREAM_URL.',
    ]);
    expect(problemsOf({ SPEECH_UPSTREAM_KEY: 'k' })).toEqual([
      'SPEECH_UPSTREAM_KEY is set without SPEECH_UPSTREAM_URL.',
    ]);
    expect(
      problemsOf({
        ...upstream,
        SPEECH_UPSTREAM_KEY: 'two words',
        SPEECH_UPSTREAM_STREAMING_URL: 'https://speech.example',
      }),
    ).toEqual([
      'SPEECH_UPSTREAM_KEY must be a key without blanks.',
      'SPEECH_UPSTREAM_STREAMING_URL must be an address that starts with ws:// or wss://.',
    ]);
  });

  it('wants all that single sign-on needs, or nothing, and a provider that cannot be listened to', () => {
    const all = { OIDC_ISSUER: 'https://id.example.com/realms/x', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 's' };
    expect(loadConfig({}).singleSignOn).toBeUndefined();
    expect(loadConfig(all).singleSignOn).toEqual({
      issuer: 'https://id.example.com/realms/x',
      clientId: 'console',
      clientSecret: 's',
    });
    expect(problemsOf({ OIDC_CLIENT_ID: 'console' })).toEqual(
      ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET'].map(
        (name) => `${name} is missing: single sign-on needs OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET.`,
      ),
    );
    for (const OIDC_ISSUER of ['http://127.0.0.1:8081', 'http://localhost:8081/x', 'http://[::1]:8081'])
      expect(loadConfig({ ...all, OIDC_ISSUER }).singleSignOn?.issuer).toBe(OIDC_ISSUER);
    for (const OIDC_ISSUER of [
      'http://id.example.com',
      'http://127.0.0.1.example.com',
      'http://localhost.example.com',
    ]) {
      expect(problemsOf({ ...all, OIDC_ISSUER })).toEqual([
        'OIDC_ISSUER must start with https://, unless the identity provider is on this machine.',
      ]);
    }
    expect(problemsOf({ ...all, OIDC_ISSUER: 'id.example.com' })).toEqual([
      'OIDC_ISSUER must be a full address such as https://example.com.',
    ]);
  });

  it('knows where Apertium may be, or that it is not wanted', () => {
    expect(loadConfig({}).apertiumDir).toBe('/usr/share/apertium');
    expect(loadConfig({ APERTIUM_DIR: 'none' }).apertiumDir).toBeUndefined();
    expect(problemsOf({ APERTIUM_DIR: 'share/apertium' })).toEqual(['APERTIUM_DIR must be a full path, or none.']);
    expect(problemsOf({ FFMPEG_PATH: process.execPath, PARLANCE_RUNTIME: 'wasm' })).toEqual([]);
    expect(problemsOf({ FFMPEG_PATH: '/nowhere/ffmpeg', PARLANCE_RUNTIME: 'gpu' })).toEqual([
      'FFMPEG_PATH must be the path of a program that may be run.',
      'PARLANCE_RUNTIME must be native or wasm.',
    ]);
  });

  it('PRJ-04: knows what an hour of audio costs, that nothing has a price, or that none is set', () => {
    expect(loadConfig({}).prices).toBeUndefined();
    expect([...(loadConfig({ SPEECH_PRICES: ' async=1, live=0.000001,stt-async-v5=12.5 ' }).prices ?? [])]).toEqual([
      ['async', 1_000_000],
      ['live', 1],
      ['stt-async-v5', 12_500_000],
    ]);
    expect(loadConfig({ SPEECH_PRICES: 'none' }).prices?.size).toBe(0);
    for (const SPEECH_PRICES of [
      '0.10',
      'async=',
      'async=-1',
      'async=0.0000001',
      'async=1,',
      'async=1,async=2',
      'async=1e3',
      'async=1;live=2',
    ]) {
      expect(problemsOf({ SPEECH_PRICES })).toEqual([
        'SPEECH_PRICES must be prices in USD per hour of audio such as async=0.10,live=0.12, or none.',
      ]);
    }
  });

  it('wants one secret for all processes of a shared database', () => {
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x' })).toEqual([
      'SECRET_KEY is required together with DATABASE_URL, and must be the same for every process.',
    ]);
    expect(problemsOf({ DATABASE_URL: 'postgres://db/x', SECRET_KEY: 'k'.repeat(32) })).toEqual([]);
  });
});

describe('secret', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'parlance-secret-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('is made once, kept for its owner only, and differs by purpose', () => {
    const first = loadSecret({ secretKey: undefined, dataDir });
    const second = loadSecret({ secretKey: undefined, dataDir });
    expect(first('a')).toEqual(second('a'));
    expect(first('a')).not.toEqual(first('b'));
    expect(first('a')).toHaveLength(32);
    const file = join(dataDir, 'secret-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toHaveLength(64);
  });

  it('given from outside leaves no file', () => {
    loadSecret({ secretKey: 'k'.repeat(32), dataDir })('a');
    expect(() => statSync(join(dataDir, 'secret-key'))).toThrow('ENOENT');
  });
});

describe('links and names of the operator', () => {
  it('UXP-31: there are none until they are set; Docs and API reference are then the own page', () => {
    const config = loadConfig({});
    expect(Object.values(config.links)).toEqual(Array(6).fill(undefined));
    expect(config.supportEmail).toBeUndefined();
    const publicUrl = () => 'https://speech.example.com';
    const own = 'https://speech.example.com/api/docs';
    expect(referenceLinks({ config, publicUrl })).toEqual({ apiReference: own, docs: `${own}#quickstart` });
    const linked = (env: Record<string, string>) => referenceLinks({ config: loadConfig(env), publicUrl });
    const [docs, api] = ['https://docs.example.com/', 'https://api.example.com/'];
    expect(linked({ DOCS_URL: docs })).toEqual({ apiReference: own, docs });
    expect(linked({ API_REFERENCE_URL: api })).toEqual({ apiReference: api, docs: api });
    expect(linked({ DOCS_URL: docs, API_REFERENCE_URL: api })).toEqual({ apiReference: api, docs });
  });

  it.each([
    [{ SUPPORT_EMAIL: 'help@example.com' }, 'help@example.com'],
    [{ PUBLIC_URL: 'https://speech.example.com:8443', SMTP_URL: 'smtp://mail' }, 'no-reply@speech.example.com'],
    [{}, 'no-reply@[127.0.0.1]'],
    [{ HOST: '::1' }, 'no-reply@[IPv6:::1]'],
  ])('UXP-31: mails of a server with %j are from %s', (env, address) => {
    expect(senderOf(loadConfig(env))).toBe(address);
  });
});
