/** Explains to a person why the server cannot start, and what to do. Shows a stack only if asked for. */
import { ConfigError, type Config } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';

/** Texts for the system's errors about files and directories. */
const OF_FILES: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: (path) => `The disk of ${path} is full. Make room, or set DATA_DIR to a directory on another disk.`,
  EDQUOT: (path) => `The disk quota for ${path} is used up. Make room, or set DATA_DIR to a directory on another disk.`,
  EFBIG: (path) =>
    `${path} may not grow any more: this process may write only small files. Raise the limit (ulimit -f unlimited).`,
  EROFS: (path) =>
    `${path} is on a file system that cannot be written to. Mount it for writing, or set DATA_DIR to another directory.`,
  EACCES: (path) =>
    `The server may not read or write ${path}. Run it as the user to whom the data directory belongs, or set DATA_DIR to another directory.`,
  EPERM: (path) =>
    `The server may not change ${path}. Run it as the user to whom the data directory belongs, or set DATA_DIR to another directory.`,
  ENOTDIR: (path) => `A part of the path ${path} is a file. Set DATA_DIR to a directory.`,
  EEXIST: (path) => `${path} is a file. Set DATA_DIR to a directory.`,
  EISDIR: (path) => `${path} is a directory where a file should be. Move it away.`,
  ELOOP: (path) => `The path ${path} leads through links in a circle. Set DATA_DIR to a directory.`,
  ENAMETOOLONG: (path) => `The path ${path} is too long. Set DATA_DIR to a shorter one.`,
  EIO: (path) =>
    `The disk of ${path} reports an error. Check the disk, and put the data back from a backup if need be.`,
};
const DESCRIPTORS =
  'The system allows no more open files. Raise the limit (ulimit -n 4096, or LimitNOFILE= of the service).';

/** Texts for errors of PostgreSQL and its connection, by SQLSTATE or system code. Empty: an untrusted certificate. */
const OF_DATABASE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The database at DATABASE_URL does not answer. Start it, or correct host and port.',
  ENOTFOUND: 'The host name in DATABASE_URL is not known. Correct it.',
  EAI_AGAIN: 'The host name in DATABASE_URL cannot be looked up just now. Check the network, or correct it.',
  ETIMEDOUT: 'The database at DATABASE_URL does not answer. Check the network, or correct host and port.',
  EHOSTUNREACH: 'The host of DATABASE_URL cannot be reached. Check the network, or correct it.',
  ENETUNREACH: 'The host of DATABASE_URL cannot be reached. Check the network, or correct it.',
  ECONNRESET:
    'The host of DATABASE_URL closes the connection. Check that it is a PostgreSQL, and that it takes connections from here.',
  '28P01': 'The database refuses the user or password in DATABASE_URL. Correct them.',
  '28000':
    'The database does not let this user in from here. Correct DATABASE_URL (for a connection with TLS, add ?sslmode=require), or allow it in pg_hba.conf.',
  '3D000': 'The database that DATABASE_URL names does not exist. Create it, or correct the name.',
  '42501':
    'The user in DATABASE_URL may not make tables. Make it the owner of the database, or grant it the rights on the schema.',
  '53300': 'The database has no connection left for this server. Raise its max_connections, or stop what uses them.',
  '57P03': 'The database is starting up or shutting down. Start again when it is ready.',
  '25006': 'The database at DATABASE_URL is read-only. Name the primary server, not a copy.',
  '53100': 'The disk of the database server is full. Make room there.',
  DEPTH_ZERO_SELF_SIGNED_CERT: '',
  SELF_SIGNED_CERT_IN_CHAIN: '',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: '',
  CERT_HAS_EXPIRED: '',
  ERR_TLS_CERT_ALTNAME_INVALID: '',
};

/** The text for standard error; with the stack if `environment` has LOG_LEVEL=debug. */
export function explain(error: unknown, config: Config | undefined, environment: NodeJS.ProcessEnv): string {
  const text = sentenceFor(error, config);
  return environment['LOG_LEVEL'] === 'debug' && error instanceof Error ? `${text}\n${error.stack ?? ''}` : text;
}

function sentenceFor(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError) return error.problems.join('\n');
  if (error instanceof StartError) return error.message;
  const message = messageOf(error);
  const code = fieldOf(error, 'code');
  const path = fieldOf(error, 'path');
  const listenText =
    config !== undefined &&
    code !== undefined &&
    (fieldOf(error, 'syscall') === 'listen' || fieldOf(error, 'hostname') === config.host)
      ? textOfListening(code, config)
      : undefined;
  if (listenText !== undefined) return listenText;
  if (code === 'EMFILE' || code === 'ENFILE') return DESCRIPTORS;
  const file = code === undefined ? undefined : OF_FILES[code];
  if (file !== undefined && path !== undefined) return file(path);
  if (file !== undefined && config !== undefined && code !== 'EACCES' && code !== 'EPERM') return file(config.dataDir);
  if (config?.databaseUrl !== undefined) {
    const known = code === undefined ? undefined : OF_DATABASE[code];
    if (known === '')
      return `The certificate of the database is not trusted (${message}). Give its authority in NODE_EXTRA_CA_CERTS, or correct sslmode in DATABASE_URL.`;
    if (known !== undefined) return known;
    if (message.includes('does not support SSL'))
      return 'The database does not support TLS. Turn it on there, or take sslmode out of DATABASE_URL.';
    if (/timeout expired|terminated/.test(message))
      return 'The database at DATABASE_URL does not answer as a PostgreSQL does. Check host and port, and that it takes connections from here.';
  }
  return `The server cannot start: ${message.replace(/\s*\n\s*/g, ' ').replace(/\.?$/, '.')} LOG_LEVEL=debug shows the stack.`;
}

/** The text for an error of listening at HOST and PORT. */
function textOfListening(code: string, { host, port }: Config): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop what uses it, or set PORT to another one.`;
    case 'EACCES':
      return `Port ${port} needs rights that this process does not have. Set PORT to one above 1023.`;
    case 'EADDRNOTAVAIL':
      return `HOST ${host} is not an address of this machine.`;
    case 'EAFNOSUPPORT':
      return `HOST ${host} is an address of a kind that this machine does not have.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `HOST ${host} is neither an address of this machine nor a name for one.`;
    default:
      return undefined;
  }
}

function fieldOf(error: unknown, name: string): string | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error));
