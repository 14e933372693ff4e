/** The code that the console tells to check webhooks by, run as somebody would run it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { CHECK_IN_NODE, CHECK_IN_PYTHON } from '#machines/playground/snippets/webhook.ts';
import { newSecret, signatureHeaders } from '#server/speech-api/webhooks/signing.ts';

const BODY = '{"id":"4f1c","status":"completed","text":"Grüße"}';
const [old, fresh] = [newSecret(), newSecret()];
const MINUTE_MS = 60_000;

type Case = { headers: Record<string, string>; body: string; secret: string };
const signed = (ago = 0): Record<string, string> =>
  signatureHeaders([fresh, old], { id: '4f1c', at: new Date(Date.now() - ago), body: BODY });

/** What each of the cases is taken for, in one run of a program that reads them from its environment. */
const taken = (command: string, args: string[]): unknown => {
  const env = { ...process.env, CASES: JSON.stringify(CASES) };
  const { stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  return JSON.parse(stdout || JSON.stringify(stderr));
};
const IN_NODE = `${CHECK_IN_NODE.replace('export ', '')}
const cases = JSON.parse(process.env.CASES);
console.log(JSON.stringify(cases.map(({ headers, body, secret }) => {
  process.env.WEBHOOK_SECRET = secret;
  return isGenuine(headers, body);
})));`;
const IN_PYTHON = `${CHECK_IN_PYTHON}
import json
def run(case):
    os.environ["WEBHOOK_SECRET"] = case["secret"]
    return is_genuine(case["headers"], case["body"].encode())
print(json.dumps([run(case) for case in json.loads(os.environ["CASES"])]))`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

const good: Case = { headers: signed(), body: BODY, secret: fresh };
/** What either secret has signed; then what was changed, and what is not of now. */
const CASES: readonly Case[] = [
  good,
  { ...good, secret: old },
  { ...good, headers: signed(4 * MINUTE_MS) },
  { ...good, secret: newSecret() },
  { ...good, body: `${BODY} ` },
  { ...good, headers: { ...signed(), 'webhook-id': '4f1d' } },
  { ...good, headers: { ...signed(), 'webhook-signature': 'v1,' } },
  { ...good, headers: signed(6 * MINUTE_MS) },
  { ...good, headers: signed(-6 * MINUTE_MS) },
];
const EXPECTED = [true, true, true, false, false, false, false, false, false];

describe('WHK-12: the code that checks a webhook takes and refuses what it should', () => {
  it('in Node.js', () => expect(taken(process.execPath, ['--input-type=module', '-e', IN_NODE])).toEqual(EXPECTED));
  it.runIf(hasPython)('in Python', () => expect(taken('python3', ['-c', IN_PYTHON])).toEqual(EXPECTED));
});
