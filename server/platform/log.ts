import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from './config.ts';
import { workInLog } from './telemetry/work.ts';

export type Log = Logger;

const SECRETS = ['authorization', 'password', 'access', 'refresh', 'token', 'api_key', 'cookie', 'secret'];

/**
 * JSON lines on standard error. Without a level: every request when the output goes to a file or collector,
 * warnings only when a person looks at the terminal. Each line names the request and the job that it was written for.
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
