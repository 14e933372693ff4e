import type { Client } from 'pg';
import type { Log } from '../log.ts';

/** Pause before the connection is reopened, and interval of queries that check an open one; milliseconds. */
const RETRY_MS = 1000;
const PULSE_MS = 30_000;

/**
 * Listens for NOTIFY on a connection of its own, and reopens it after a loss. A regular query notices silent losses,
 * such as a firewall that drops idle connections; so clients of `connect` must have a query timeout.
 */
export function listenOutside(
  connect: () => Client,
  { retryMs = RETRY_MS, pulseMs = PULSE_MS, log }: { retryMs?: number; pulseMs?: number; log?: Log | undefined } = {},
): {
  /** @throws the connection's error, or an error while a lost connection is not back; it then drops the callback */
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  close(): Promise<void>;
} {
  const callbacks = new Map<string, Set<(payload: string) => void>>();
  const whenResumed = new Set<() => void>();
  let current: Promise<Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** What the log says of the loss; undefined while nothing is lost. */
  let lastReason: string | undefined;
  let closed = false;

  const open = async (): Promise<Client> => {
    const client = connect();
    let isOpen = false;
    let stopPulse = (): void => {};
    const disconnected = (error?: Error): void => {
      stopPulse();
      if (!isOpen || closed) return;
      isOpen = false;
      comeBack(error);
    };
    client.on('notification', ({ channel, payload }) => {
      for (const callback of callbacks.get(channel) ?? []) callback(payload ?? '');
    });
    client.on('error', disconnected);
    client.on('end', () => disconnected());
    try {
      await client.connect();
      for (const channel of callbacks.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      // Each attempt opens a connection: close the failed one.
      client.end().catch(disconnected);
      throw error;
    }
    isOpen = true;
    const pulse = setInterval(() => {
      client.query('select 1').catch((error: Error) => {
        disconnected(error);
        // Ignore late notifications of the lost connection.
        client.removeAllListeners('notification');
        client.end().catch(disconnected);
      });
    }, pulseMs);
    pulse.unref();
    stopPulse = () => clearInterval(pulse);
    return client;
  };

  const comeBack = (error: Error | undefined): void => {
    if (closed) return;
    const reason = error?.message ?? 'The database has ended it.';
    if (reason !== lastReason)
      log?.warn({ reason }, 'lost the connection that hears the database: pages and jobs may learn of changes late');
    lastReason = reason;
    current = undefined;
    retry = setTimeout(() => {
      retry = undefined;
      current = open();
      current.then(() => {
        log?.info('the connection that hears the database is back');
        lastReason = undefined;
        for (const resumed of whenResumed) resumed();
      }, comeBack);
    }, retryMs);
  };

  const connected = async (): Promise<Client> => {
    if (retry !== undefined) throw new Error('The connection to the database is lost just now.');
    try {
      return await (current ??= open());
    } catch (error) {
      if (retry === undefined) current = undefined;
      throw error;
    }
  };

  return {
    async listen(channel, callback, resumed) {
      const known = callbacks.get(channel);
      const set = known ?? new Set();
      set.add(callback);
      callbacks.set(channel, set);
      try {
        const client = await connected();
        if (known === undefined) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      } catch (error) {
        set.delete(callback);
        if (set.size === 0) callbacks.delete(channel);
        throw error;
      }
      if (resumed) whenResumed.add(resumed);
      return () => {
        set.delete(callback);
        if (resumed) whenResumed.delete(resumed);
      };
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await current?.then(
        (client) => client.end(),
        () => undefined,
      );
    },
  };
}
