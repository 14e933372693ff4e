/** Programs that verify a webhook's signature by Standard Webhooks, with their language's own library. */

export const CHECK_IN_NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the text as it came, before it is parsed.
export function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt } = headers;
  if (!(Math.abs(Date.now() / 1000 - sentAt) < 300)) return false;
  const secret = process.env.WEBHOOK_SECRET.slice('whsec_'.length);
  const hash = createHmac('sha256', Buffer.from(secret, 'base64'));
  hash.update(\`\${id}.\${sentAt}.\${body}\`);
  const expected = Buffer.from(\`v1,\${hash.digest('base64')}\`);
  const given = String(headers['webhook-signature']).split(' ');
  return given.map((one) => Buffer.from(one)).some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected),
  );
}
`;

export const CHECK_IN_PYTHON = `import base64, hmac, os, time

# body: the bytes as they came, before they are parsed.
def is_genuine(headers, body):
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        return False
    secret = os.environ["WEBHOOK_SECRET"].removeprefix("whsec_")
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    digest = hmac.digest(base64.b64decode(secret), signed, "sha256")
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one, expected) for one in given)
`;
