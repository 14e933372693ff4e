import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import type { Database, Db } from './db/database.ts';
import { openDatabase } from './db/open.ts';
import type { WorkerOptions } from './jobs/worker.ts';
import { claimDataDir } from './installation.ts';
import { createLog, type Log } from './log.ts';
import { createMail } from './mail/create.ts';
import type { Mail } from './mail/mail.ts';
import { defaultWebRoot } from './paths.ts';
import { loadSecret, requireSecret, type SecretFor } from './secrets.ts';

/** Takes a WebSocket handshake; `requestId` is the id of the request in the log. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string) => void;

/** What every area of the server works with. An area that needs more adds its own field here and fills it in {@link createServices}. */
export interface Services {
  config: Config;
  log: Log;
  database: Database;
  /** The same database, for queries. */
  db: Db;
  /** Now; tests turn it. Everything that expires asks it. */
  clock: () => Date;
  secretFor: SecretFor;
  mail: Mail;
  /** Opens the page of the outbox; made anew at each start. */
  outboxSecret: string;
  closing: Closing;
  /** WebSocket handshakes by path, without trailing slash. */
  upgrades: Map<string, UpgradeHandler>;
  /** Folder of the built console. */
  webRoot: string;
  /** Origin under which people reach the server, without trailing slash. */
  publicUrl: () => string;
  /** Called once the port is known. */
  listening: (port: number) => void;
}

export interface ServiceOverrides {
  clock?: () => Date;
  log?: Log;
  database?: Database;
  webRoot?: string;
  /** Of the worker that hands mails over. */
  mailJobs?: Partial<Pick<WorkerOptions, 'leaseMs' | 'pollMs' | 'maxAttempts' | 'backoffMs'>>;
}

/** Opens what the server works with. @throws StartError, or what the system or the database refuses with. */
export async function createServices(config: Config, overrides: ServiceOverrides = {}): Promise<Services> {
  const log = overrides.log ?? createLog(config.logLevel);
  const clock = overrides.clock ?? (() => new Date());
  await prepareDataDir(config.dataDir);
  const database = overrides.database ?? (await openDatabase(config));
  const closing = new Closing(log);
  closing.add('database', 'database', () => database.close());
  await claimDataDir(database.db, config);
  await requireSecret(database.db, config);
  const secretFor = loadSecret(config);
  const mail = await createMail({ config, database, clock, log, secretFor, closing }, overrides.mailJobs);
  let port = config.port;
  return {
    config,
    log,
    database,
    db: database.db,
    clock,
    secretFor,
    mail,
    closing,
    outboxSecret: randomBytes(32).toString('base64url'),
    upgrades: new Map(),
    webRoot: overrides.webRoot ?? defaultWebRoot,
    publicUrl: () => originOf(config, port),
    listening: (actual) => {
      port = actual;
    },
  };
}

/** Origin under which people reach a server that listens on a port. */
export const originOf = ({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>, port: number): string =>
  publicUrl ?? `http://${hostForAddress(host)}:${port}`;

function hostForAddress(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
