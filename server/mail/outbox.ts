import { randomUUID } from 'node:crypto';
import type { Db } from '../db/open.ts';
import type { Mail } from './mail.ts';

/** Mails kept, at most; the oldest go. */
const KEPT = 200;

/** Keeps mails in the database, to be read on the /outbox page. */
export function outboxMail(db: Db, clock: () => Date): Mail {
  return {
    async send({ to, subject, text, html }) {
      await db.insertInto('outbox').values({ id: randomUUID(), recipient: to, subject, body_text: text, body_html: html, created_at: clock() }).execute();
      await db.deleteFrom('outbox')
        .where('position', '<=', (query) => query.selectFrom('outbox').select('position').orderBy('position', 'desc').offset(KEPT).limit(1))
        .execute();
    },
    async close() {},
  };
}
