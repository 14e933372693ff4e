import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { sql } from 'kysely';
import { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import type { Database, Db } from './db/database.ts';
import { COMPARED_EVERY_MS, followDatabase } from './db/now.ts';
import { openDatabase } from './db/open.ts';
import type { JobTimes } from './jobs/start.ts';
import { createLog, type Log } from './log.ts';
import { createMail } from './mail/create.ts';
import type { Mail } from './mail/mail.ts';
import { defaultWebRoot } from './paths.ts';
import { Readiness } from './readiness.ts';
import { repeat } from './repeat.ts';
import { loadSecret, requireSecret, type SecretFor } from './secrets.ts';
import { openStorage } from './storage/open.ts';
import { meteredStorage } from './storage/metered.ts';
import type { FileStorage } from './storage/port.ts';
import { meterDatabase, meterQueries } from './telemetry/known-to-database.ts';
import { silentMeters, type Meters } from './telemetry/meters.ts';
import { silentTracer, type Tracer } from './telemetry/tracer.ts';

/** Takes a WebSocket handshake; `requestId` is the id of the request in the log. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string) => void;

/**
 * The services that every area of the server uses. To add one, add a field here, and fill it in {@link createServices}.
 */
export interface Services {
  config: Config;
  log: Log;
  database: Database;
  /** `database.db`, for queries. */
  db: Db;
  /**
   * The current time. Use it for everything that expires. On PostgreSQL it is the database's clock, so that all
   * processes agree. Tests set it.
   */
  clock: () => Date;
  secretFor: SecretFor;
  /** The storage of recordings. */
  storage: FileStorage;
  mail: Mail;
  /** Gives access to the outbox page; new at each start. */
  outboxSecret: string;
  closing: Closing;
  /** The checks that must pass before the server takes requests. */
  readiness: Readiness;
  /** Metrics for Prometheus. */
  meters: Meters;
  /** Spans for a trace collector. */
  tracer: Tracer;
  /** WebSocket handshakes by path, without trailing slash. */
  upgrades: Map<string, UpgradeHandler>;
  /** Folder of the built console. */
  webRoot: string;
  /** Origin at which people reach the server, without trailing slash. */
  publicUrl: () => string;
  /** Called once the port is known. */
  listening: (port: number) => void;
}

export interface ServiceOverrides {
  clock?: () => Date;
  log?: Log;
  database?: Database;
  webRoot?: string;
  /** Options of the worker that sends mails. */
  mailJobs?: JobTimes;
}

/** Opens the services. @throws StartError, or an error of the system or the database */
export async function createServices(config: Config, overrides: ServiceOverrides = {}): Promise<Services> {
  const log = overrides.log ?? createLog(config.logLevel);
  await prepareDataDir(config.dataDir);
  const database = overrides.database ?? (await openDatabase({ ...config, log }));
  const closing = new Closing(log, { drainMs: config.drainSeconds * 1000 });
  closing.add('database', 'database', () => database.close());
  const readiness = new Readiness(log);
  const meters = await openMeters(config, log);
  const tracer = await openTracer(config, log, closing);
  readiness.add('database', 'The database does not answer.', () => sql`select 1`.execute(database.db));
  const clock = overrides.clock ?? (await clockOf({ config, database, log, closing }));
  const storage = meteredStorage(await openStorage(config, database, log), meters);
  readiness.add('storage', 'The storage of the recordings does not answer.', async () => {
    if ((await storage.readNote()) === undefined) throw new Error('The storage has lost its id.');
  });
  await requireSecret(database.db, config);
  const secretFor = loadSecret(config);
  const mail = await createMail(
    { config, database, clock, log, secretFor, closing, meters, tracer },
    overrides.mailJobs,
  );
  meterQueries({ meters, database });
  meterDatabase({ meters, database, clock });
  meters.addReader('readiness', async (tell) => {
    for (const { name, isThere } of await readiness.parts()) tell('parlance_ready', { part: name }, isThere ? 1 : 0);
  });
  let port = config.port;
  return {
    config,
    log,
    database,
    db: database.db,
    clock,
    secretFor,
    storage,
    mail,
    closing,
    readiness,
    meters,
    tracer,
    outboxSecret: randomBytes(32).toString('base64url'),
    upgrades: new Map(),
    webRoot: overrides.webRoot ?? defaultWebRoot,
    publicUrl: () => originOf(config, port),
    listening: (actual) => {
      port = actual;
    },
  };
}

/** Loads the metrics library only if metrics are served. */
async function openMeters({ metrics }: Config, log: Log): Promise<Meters> {
  if (metrics === undefined) return silentMeters;
  const { prometheusMeters } = await import('./telemetry/prometheus.ts');
  return prometheusMeters(log);
}

async function openTracer(config: Config, log: Log, closing: Closing): Promise<Tracer> {
  if (config.tracesTo === undefined) return silentTracer;
  const { openTelemetry } = await import('./telemetry/opentelemetry.ts');
  return openTelemetry(config.tracesTo, { config, log, closing });
}

/** Returns this machine's clock for the embedded database, and the database's clock for PostgreSQL. */
async function clockOf(parts: Pick<Services, 'config' | 'database' | 'log' | 'closing'>): Promise<() => Date> {
  const { database } = parts;
  if (database.kind === 'embedded') return () => new Date();
  const { now, compare } = await followDatabase(database.db);
  repeat(parts, { name: 'comparison of clocks', everyMs: COMPARED_EVERY_MS, run: compare, everywhere: true });
  return now;
}

/** Origin at which people reach a server that listens on `port`. */
export const originOf = ({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>, port: number): string =>
  publicUrl ?? `http://${hostForAddress(host)}:${port}`;

function hostForAddress(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
