import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, in the format of Standard Webhooks. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

interface Message {
  /** The message's id; all tries have the same one. */
  id: string;
  at: Date;
  body: string;
}

/** The headers of Standard Webhooks, with a signature by each secret. */
export function signatureHeaders(secrets: readonly string[], { id, at, body }: Message): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const sign = (secret: string): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
