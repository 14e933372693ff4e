import type { Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** When the link in it stops working: from then on the mail is not worth sending. */
  expiresAt?: Date;
}

/** The way out for every mail: to the mail server, or to the local outbox. */
export interface Mail {
  /**
   * Takes a mail as part of the transaction that causes it: either both are there, or neither. Nobody waits for the mail
   * server, which gets it soon after, or as often as it takes.
   */
  send(transaction: Transaction<Schema>, mail: MailMessage): Promise<void>;
  /** Drops the mails to these addresses that have not left. One that is being handed over cannot be called back. */
  forget(transaction: Transaction<Schema>, addresses: readonly string[]): Promise<void>;
}
