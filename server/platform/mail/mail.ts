import type { Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** When its link expires; it is not sent afterwards. */
  expiresAt?: Date;
}

/** Sends mails, to the mail server or to the local outbox. */
export interface Mail {
  /** Queues a mail in the transaction that causes it. A worker sends it after the commit, and retries. */
  send(transaction: Transaction<Schema>, mail: MailMessage): Promise<void>;
  /** Drops unsent mails to these addresses; one that is just being sent cannot be stopped. */
  forget(transaction: Transaction<Schema>, addresses: readonly string[]): Promise<void>;
}
