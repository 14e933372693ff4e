import { createTransport } from 'nodemailer';
import * as v from 'valibot';
import type { MailMessage } from './mail.ts';

/** How long the mail server may be silent, by what it is waited for, milliseconds. `SMTP_URL` may set its own (`?greetingTimeout=…`). */
const PATIENCE = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Bad sequence, authentication required, encryption required: told of the sender, whenever they come. */
const OF_SENDER = [503, 530, 538];

/** The mail server did not take a mail. Says no more than that: its own words tend to hold the address. */
export class NotTaken extends Error {
  /** Whether it would refuse this mail again. */
  readonly isFinal: boolean;
  /** Of the SMTP answer; undefined where none came. */
  readonly responseCode: number | undefined;
  constructor({ code, responseCode, command }: v.InferOutput<typeof Told>) {
    super(
      ['The mail server did not take the mail', responseCode ?? code, command]
        .filter((part) => part !== undefined)
        .join(', '),
    );
    this.name = 'NotTaken';
    this.responseCode = responseCode;
    // A refusal of the connection, of the sender or of the sender's password is not one of the mail: an operator can mend it.
    const isOfMail = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
    this.isFinal =
      isOfMail && (responseCode === undefined || (responseCode >= 500 && !OF_SENDER.includes(responseCode)));
  }
}

const Told = v.object({
  code: v.optional(v.string()),
  responseCode: v.optional(v.number()),
  command: v.optional(v.string()),
});

export interface Transport {
  /** Hands a mail to the mail server. `id` becomes its Message-ID: a mail that is sent again after a crash can be known by it. @throws NotTaken */
  send(mail: MailMessage, id: string, signal: AbortSignal): Promise<void>;
}

/** An SMTP server; its address may carry user and password. */
export function smtpTransport(url: string, from: { name: string; address: string }): Transport {
  const transport = createTransport({ ...PATIENCE, url });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ to, subject, text, html }, id, signal) {
      const message = { from, to, subject, text, html, messageId: `<${id}@${domain}>`, signal };
      try {
        await transport.sendMail(message);
      } catch (error) {
        throw new NotTaken(v.parse(v.fallback(Told, {}), error));
      }
    },
  };
}
