/** Worlds of random steps, one after the other, on one database. */
import { storePrices } from '#server/money/usage/price-lists.ts';
import type { Database, Db } from '#server/platform/db/database.ts';
import { createLog } from '#server/platform/log.ts';
import { openServices } from '../services.ts';
import { Fault } from './fault.ts';
import { watchAutopay } from './moves.ts';
import { PRICES } from './starts.ts';
import { World } from './world.ts';

export interface Worlds {
  create: () => Promise<World>;
  close: () => Promise<void>;
}

/** Opens what worlds of one database share. */
export async function openWorlds(database: Database): Promise<Worlds> {
  const { db } = database;
  const fault = new Fault();
  const strange: string[] = [];
  const log = createLog('error', {
    write: (line) => {
      if (line.includes('cannot make this move')) strange.push(line);
    },
  });
  const { services, close } = await openServices({ database: { ...database, db: db.withPlugin(fault) }, log });
  // Where nothing has a price, nothing is charged and nobody pays.
  await storePrices(db, PRICES, services.clock);
  const unwatch = await watchAutopay(db);
  return {
    create: async () => {
      strange.length = 0;
      await endBefore(db);
      const world = new World(services, fault, db, strange);
      await world.begin();
      return world;
    },
    close: async () => {
      await unwatch();
      await close();
    },
  };
}

/** Nothing of another world, which failed, goes on. */
async function endBefore(db: Db): Promise<void> {
  await db.deleteFrom('jobs').execute();
  await db.deleteFrom('live_sessions').execute();
  await db.deleteFrom('price_lists').where('valid_from', '>', new Date(0)).execute();
  await db.updateTable('payments').set({ state: 'canceled' }).where('state', 'in', ['open', 'sent', 'due']).execute();
  await db.updateTable('accounts').set({ closed_at: new Date() }).where('closed_at', 'is', null).execute();
}
