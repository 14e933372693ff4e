import type { Client } from 'pg';

/** NOTIFY needs a connection of its own that comes back by itself after a loss. */
export function listenOutside(connect: () => Client): {
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  close(): Promise<void>;
} {
  const callbacks = new Map<string, Set<(payload: string) => void>>();
  const whenResumed = new Set<() => void>();
  let current: Promise<Client> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const open = async (): Promise<Client> => {
    const client = connect();
    client.on('notification', ({ channel, payload }) => {
      for (const callback of callbacks.get(channel) ?? []) callback(payload ?? '');
    });
    const lost = (): void => {
      if (closed || retry !== undefined) return;
      current = undefined;
      retry = setTimeout(() => {
        retry = undefined;
        current = open();
        current.then(() => { for (const resumed of whenResumed) resumed(); }, lost);
      }, 1000);
    };
    client.on('error', lost);
    client.on('end', lost);
    await client.connect();
    for (const channel of callbacks.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    return client;
  };

  return {
    async listen(channel, callback, resumed) {
      const known = callbacks.get(channel);
      const set = known ?? new Set();
      set.add(callback);
      callbacks.set(channel, set);
      if (current === undefined) await (current = open());
      else if (known === undefined) {
        const client = await current;
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
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
      await current?.then((client) => client.end(), () => undefined);
    },
  };
}
