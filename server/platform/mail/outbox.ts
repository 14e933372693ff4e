import { randomUUID } from 'node:crypto';
import type { Mail } from './mail.ts';

/** Mails kept, at most; the oldest go. */
const KEPT = 200;

/** Keeps mails in the database, to be read on the /outbox page at once. */
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
