/** A log whose lines a test reads. */
import { createLog, type Log } from '#server/platform/log.ts';

export type Line = Record<string, unknown>;

export function keptLog(): { log: Log; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, log: createLog('info', { write: (line) => lines.push(JSON.parse(line)) }) };
}
