import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from './config.ts';
import { workInLog } from './telemetry/work.ts';

export type Log = Logger;

const SECRETS = ['authorization', 'password', 'access', 'refresh', 'token', 'api_key', 'cookie', 'secret'];

/**
 * Logs JSON lines to standard error. Without a level, logs warnings and errors on a terminal, and every request
 * otherwise. Each line has the id of its request and job.
 */
export function createLog(level: LogLevel | undefined, destination?: DestinationStream): Log {
  const options = {
    level: level ?? (process.stderr.isTTY ? 'warn' : 'info'),
    base: null,
    mixin: workInLog,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: true }));
}
