import { createTransport } from 'nodemailer';
import * as v from 'valibot';
import type { MailMessage } from './mail.ts';

/** Timeouts of the mail server, milliseconds. `SMTP_URL` may override them (`?greetingTimeout=…`). */
const PATIENCE = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/** Bad sequence, authentication required, encryption required: these always concern the sender, not the mail. */
const OF_SENDER = [503, 530, 538];

/** The mail server did not take a mail. The message leaves out the server's text, which often contains the address. */
export class NotTaken extends Error {
  /** Whether the server would refuse this mail again. */
  readonly isFinal: boolean;
  /** SMTP reply code; undefined if no reply came. */
  readonly responseCode: number | undefined;
  constructor({ code, responseCode, command }: v.InferOutput<typeof SmtpError>) {
    super(
      ['The mail server did not take the mail', responseCode ?? code, command]
        .filter((part) => part !== undefined)
        .join(', '),
    );
    this.name = 'NotTaken';
    this.responseCode = responseCode;
    // An operator can fix a refused connection, sender or password, so these do not reject the mail itself.
    const isOfMail = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
    this.isFinal =
      isOfMail && (responseCode === undefined || (responseCode >= 500 && !OF_SENDER.includes(responseCode)));
  }
}

const SmtpError = v.object({
  code: v.optional(v.string()),
  responseCode: v.optional(v.number()),
  command: v.optional(v.string()),
});

export interface Transport {
  /**
   * Sends a mail. `id` becomes its Message-ID, so that a repetition after a crash can be recognized.
   * @throws NotTaken
   */
  send(mail: MailMessage, id: string, signal: AbortSignal): Promise<void>;
}

/** Sends through an SMTP server; `url` may contain user and password. */
export function smtpTransport(url: string, from: { name: string; address: string }): Transport {
  const transport = createTransport({ ...PATIENCE, url });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ to, subject, text, html }, id, signal) {
      const message = { from, to, subject, text, html, messageId: `<${id}@${domain}>`, signal };
      try {
        await transport.sendMail(message);
      } catch (error) {
        throw new NotTaken(v.parse(v.fallback(SmtpError, {}), error));
      }
    },
  };
}
