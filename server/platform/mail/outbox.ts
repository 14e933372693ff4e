import { randomUUID } from 'node:crypto';
import type { Mail } from './mail.ts';

/** The largest number of mails kept; beyond it the oldest are removed. */
const KEPT = 200;

/** Writes mails into the database for the /outbox page. */
export function outboxMail(clock: () => Date): Mail {
  return {
    async send(transaction, { to, subject, text, html }) {
      await transaction
        .insertInto('outbox')
        .values({ id: randomUUID(), recipient: to, subject, body_text: text, body_html: html, created_at: clock() })
        .execute();
      await transaction
        .deleteFrom('outbox')
        .where('position', '<=', (query) =>
          query.selectFrom('outbox').select('position').orderBy('position', 'desc').offset(KEPT).limit(1),
        )
        .execute();
    },
    async forget(transaction, addresses) {
      const lower = addresses.map((address) => address.toLowerCase());
      await transaction
        .deleteFrom('outbox')
        .where((eb) => eb(eb.fn<string>('lower', ['recipient']), 'in', lower))
        .execute();
    },
  };
}
