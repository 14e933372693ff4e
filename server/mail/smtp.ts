import { createTransport } from 'nodemailer';
import type { Mail } from './mail.ts';

/** Sends through an SMTP server; the address may carry user and password. */
export function smtpMail(url: string, from: { name: string; address: string }): Mail {
  const transport = createTransport(url);
  return {
    async send(letter) {
      await transport.sendMail({ from, to: letter.to, subject: letter.subject, text: letter.text, html: letter.html });
    },
    async close() {
      transport.close();
    },
  };
}
