import type { LogEvent } from 'kysely';
import type { EndedQuery } from './database.ts';

/** Calls a watcher with every ended query of a Kysely that logs to `log`. */
export function queryWatch() {
  let watcher: (query: EndedQuery) => void = () => undefined;
  return {
    watch: (next: typeof watcher): void => {
      watcher = next;
    },
    log: (event: LogEvent): void =>
      watcher({
        ms: event.queryDurationMillis,
        failure: event.level === 'error' ? { error: event.error } : undefined,
      }),
  };
}
