/** The mail server is away, silent, slow, or says no. */
import { afterEach, describe, expect, it } from 'vitest';
import type { MailMessage } from '#server/platform/mail/mail.ts';
import { MAIL_TRIES, mailBackoff } from '#server/platform/mail/queue.ts';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { publicCall } from '../server/browser.ts';
import { borrowDatabase } from '../server/databases.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { keptLog, type Line } from '../server/log-lines.ts';
import { openPostOffice, openSilentServer, type PostOffice } from './post-office.ts';

const HOUR_MS = 3600_000;
const MESSAGE: MailMessage = {
  to: 'reader@example.com',
  subject: 'A subject',
  text: 'https://console.example.com/password/secret-token/',
  html: '<p>secret-token</p>',
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type OfficeOptions = Parameters<typeof openPostOffice>[0];
async function office(options?: OfficeOptions): Promise<PostOffice> {
  const opened = await openPostOffice(options);
  ends.push(opened.close);
  return opened;
}

/** A mail server that says nothing, until one that answers takes its place. */
async function silence() {
  const { port, connections, close } = await openSilentServer();
  ends.push(close);
  const giveWay = async (): Promise<void> => {
    await close();
    ends.splice(ends.indexOf(close), 1);
  };
  return { port, giveWay, isHeld: () => eventually(() => expect(connections()).toBe(1)) };
}

type Server = TestServer & { lines: Line[] };
/** A server that sends by SMTP and looks for due mails often. `lines` is its log. */
async function start(
  address: string | number,
  options: Pick<TestServerOptions, 'overrides' | 'env'> = {},
): Promise<Server> {
  const { lines, log } = keptLog();
  const server = await startTestServer({
    env: {
      SMTP_URL: `smtp://${typeof address === 'number' ? `127.0.0.1:${address}` : address}`,
      PUBLIC_URL: 'http://console.localhost',
      SUPPORT_EMAIL: 'help@example.com',
      ...options.env,
    },
    overrides: { log, mailJobs: { pollMs: 100 }, ...options.overrides },
  });
  ends.push(server.close);
  return { ...server, lines };
}
/** The same with a mail server that does as told. */
async function startWith(options?: OfficeOptions, overrides?: TestServerOptions['overrides']) {
  const post = await office(options);
  return { ...post, server: await start(post.port, overrides && { overrides }) };
}

const post = ({ services: { db, mail } }: TestServer, message: Partial<MailMessage> = {}): Promise<void> =>
  db.transaction().execute((trx) => mail.send(trx, { ...MESSAGE, ...message }));
const signUp = async (server: TestServer, email: string, status = 200): Promise<void> => {
  const answer = await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email });
  expect(answer.status).toBe(status);
};
const recover = async (server: TestServer, email: string): Promise<void> =>
  expect((await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email })).status).toBe(200);

/** What waits: mails, and jobs by state. */
async function waiting({ services: { db } }: TestServer): Promise<[number, string[]]> {
  const mails = await db.selectFrom('mails').selectAll().execute();
  const jobs = await db.selectFrom('jobs').select('state').where('kind', '=', 'mail').execute();
  return [mails.length, jobs.map(({ state }) => state)];
}
const nothingWaits = (server: TestServer) => eventually(async () => expect(await waiting(server)).toEqual([0, []]));
const comes = (received: PostOffice['received'], count = 1) => eventually(() => expect(received).toHaveLength(count));
const recipientsOf = (received: PostOffice['received']) => new Set(received.map(({ to }) => to[0]));
/** Once a mail has been tried so often. */
const isTried = ({ services: { db } }: TestServer, attempts = 1) =>
  eventually(async () => {
    const tried = db.selectFrom('jobs').select('attempts').where('state', '=', 'ready').where('attempts', '>', 0);
    expect(await tried.executeTakeFirst()).toEqual({ attempts });
  });
const said = ({ lines }: Server, part: string): Line[] => lines.filter(({ msg }) => String(msg).includes(part));
const says = (server: Server, part: string, times = 1) =>
  eventually(() => expect(said(server, part)).toHaveLength(times));

describe('with a mail server', { timeout: 60_000 }, () => {
  it('ACC-02, DAT-10: the activation mail leaves by SMTP, and nothing stays behind', async () => {
    const { received, server } = await startWith();
    await signUp(server, 'new@example.com');
    await comes(received);
    expect(received[0]).toMatchObject({ to: ['new@example.com'], from: 'help@example.com' });
    expect(received[0]?.source).toMatch(/http:\/\/console\.localhost\/signup\/[\w-]{43}\//);
    expect(received[0]?.source).toContain('text/html');
    await nothingWaits(server);
    expect(await server.services.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
  });

  it('CON-09: an address with letters beyond ASCII reaches its mail server', async () => {
    const { asked, received, server } = await startWith();
    await signUp(server, 'grüße@münchen.de');
    await comes(received);
    expect(asked.map((address) => address.replace('xn--mnchen-3ya', 'münchen'))).toEqual(['grüße@münchen.de']);
    expect(received[0]?.source).toMatch(/http:\/\/console\.localhost\/signup\/[\w-]{43}\//);
  });

  it('DAT-10: a mail and what causes it are one transaction', async () => {
    const { received, server } = await startWith();
    const { db, mail } = server.services;
    await expect(
      db.transaction().execute(async (trx) => {
        await mail.send(trx, MESSAGE);
        throw new Error('what caused it failed');
      }),
    ).rejects.toThrow('what caused it failed');
    expect(await waiting(server)).toEqual([0, []]);
    // And the other way round: no link without its mail.
    server.services.mail.send = () => Promise.reject(new Error('no room'));
    await signUp(server, 'unlucky@example.com', 500);
    expect(await db.selectFrom('activations').selectAll().execute()).toEqual([]);
    expect(received).toEqual([]);
  });
});

describe('a mail server that does not answer', { timeout: 60_000 }, () => {
  it('DAT-10: sign-up does not wait for it, and the mail comes when it is back', async () => {
    const silent = await silence();
    const server = await start(`127.0.0.1:${silent.port}?greetingTimeout=60000&socketTimeout=60000`);
    await signUp(server, 'new@example.com');
    await silent.isHeld();
    // It still holds the connection, while everything else goes on.
    await signUp(server, 'second@example.com');
    expect((await waiting(server))[0]).toBe(2);
    await silent.giveWay();
    await isTried(server);
    const { received } = await office({ port: silent.port });
    server.advance(HOUR_MS);
    await comes(received, 2);
    expect(recipientsOf(received)).toEqual(new Set(['new@example.com', 'second@example.com']));
    await nothingWaits(server);
  });

  it('DAT-10: a try ends within seconds, however silent it is', async () => {
    const silent = await silence();
    const server = await start(silent.port);
    const from = performance.now();
    await post(server);
    await isTried(server);
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  it('DAT-10: the server stops at once, and the next one sends the mail', async () => {
    const silent = await silence();
    const borrowed = await borrowDatabase();
    const SECRET_KEY = 'k'.repeat(32);
    const first = await start(silent.port, { overrides: { database: borrowed.open() }, env: { SECRET_KEY } });
    await post(first);
    await silent.isHeld();
    const from = performance.now();
    await first.close();
    expect(performance.now() - from).toBeLessThan(5000);
    const { port, received } = await office();
    const next = await start(port, { overrides: { database: borrowed.open() }, env: { SECRET_KEY } });
    await comes(received);
    await next.close();
    await borrowed.giveBack();
  });

  it('DAT-10: tries go on for about a day, an hour apart at most, and not all at the same moment', () => {
    const waits = Array.from({ length: MAIL_TRIES - 1 }, (_, made) => mailBackoff(made + 1, () => 0.5));
    expect(waits.slice(0, 4)).toEqual([15_000, 30_000, 60_000, 120_000]);
    expect(Math.max(...waits)).toBe(HOUR_MS);
    const hours = waits.reduce((sum, wait) => sum + wait) / HOUR_MS;
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(30);
    expect([mailBackoff(9, () => 0), mailBackoff(9, () => 1)]).toEqual([2_700_000, 4_500_000]);
    expect(new Set(Array.from({ length: 20 }, () => mailBackoff(9))).size).toBeGreaterThan(1);
  });
});

describe('a mail server that says no', { timeout: 60_000 }, () => {
  it('DAT-10: not now: tried again, with the same Message-ID', async () => {
    let refusals = 2;
    const { received, asked, server } = await startWith({ answer: () => (refusals-- > 0 ? 451 : undefined) });
    await post(server);
    const { id } = await server.services.db.selectFrom('mails').select('id').executeTakeFirstOrThrow();
    for (const made of [1, 2]) {
      await isTried(server, made);
      expect(received).toEqual([]);
      server.advance(2 * HOUR_MS);
    }
    await comes(received);
    expect(received[0]?.source).toContain(`Message-ID: <${id}@example.com>`);
    expect(asked).toHaveLength(3);
  });

  it('DAT-10: never: one try, a line in the log without the address, and nothing left', async () => {
    const { received, asked, server } = await startWith({ answer: () => 550 });
    await post(server);
    await says(server, 'refused for good');
    expect(said(server, 'refused for good')[0]).toMatchObject({ level: 50, err: { responseCode: 550 } });
    await nothingWaits(server);
    expect([asked, received]).toEqual([[MESSAGE.to], []]);
    expect(JSON.stringify(server.lines)).not.toContain(MESSAGE.to);
  });

  it.each([
    [530, 'Authentication required'],
    [550, 'Sender refused'],
    [553, 'Not yours'],
  ])(
    "DAT-10: a refusal of the sender (%i) is the operator's to mend: the mail is kept, and leaves once it is",
    async (responseCode, words) => {
      let isMended = false;
      const { received, server } = await startWith({
        sender: () => (isMended ? undefined : Object.assign(new Error(words), { responseCode })),
      });
      await post(server);
      await isTried(server);
      expect(await waiting(server)).toEqual([1, ['ready']]);
      isMended = true;
      server.advance(2 * HOUR_MS);
      await comes(received);
    },
  );

  it("DAT-10: wrong credentials are the operator's to mend: the mail is kept", async () => {
    const { port, received } = await office({ password: 'right' });
    const server = await start(`console:wrong@127.0.0.1:${port}`);
    await post(server);
    await isTried(server);
    expect((await waiting(server))[0]).toBe(1);
    expect(received).toEqual([]);
    expect(JSON.stringify(server.lines)).not.toContain('wrong');
  });

  it('DAT-10 OPS-70: for a day: given up and told; the operator has it tried again, or drops it with its mail', async () => {
    let refused = 0;
    const { received, server } = await startWith(
      { answer: () => (refused++ < 4 ? 451 : undefined) },
      { mailJobs: { pollMs: 100, maxAttempts: 2, backoffMs: () => 0 } },
    );
    await post(server);
    await says(server, 'did not take it for a day');
    expect(await waiting(server)).toEqual([1, ['dead']]);
    const jobs = await server.services.db.selectFrom('jobs').selectAll().execute();
    expect(JSON.stringify([jobs, server.lines])).not.toContain(MESSAGE.to);
    const admin = (...args: string[]) => runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, args);
    const id = String(jobs[0]?.id);
    await admin('jobs', 'retry', id);
    await says(server, 'did not take it for a day', 2);
    expect(received).toEqual([]);
    await admin('jobs', 'retry', id);
    await comes(received);
    await nothingWaits(server);
  });
});

describe('a mail that waits', { timeout: 60_000 }, () => {
  it('DAT-10: cannot be read in the database', async () => {
    const silent = await silence();
    const server = await start(silent.port);
    await signUp(server, 'private@example.com');
    const { db } = server.services;
    const stored = JSON.stringify([
      await db.selectFrom('mails').selectAll().execute(),
      await db.selectFrom('jobs').selectAll().execute(),
    ]);
    expect(stored).toContain('"sealed":"v1.');
    expect(stored).not.toMatch(/private@example|signup/);
    await silent.giveWay();
    await isTried(server);
    const { received } = await office({ port: silent.port });
    server.advance(HOUR_MS);
    await comes(received);
    expect(received[0]?.source).toContain('/signup/');
  });

  it('DAT-10: is dropped once its link has expired, and the log says so', async () => {
    let down = true;
    const { received, asked, server } = await startWith({ answer: () => (down ? 451 : undefined) });
    const { email } = await server.createUser({ email: 'forgetful@example.com' });
    await recover(server, email);
    await isTried(server);
    down = false;
    server.advance(HOUR_MS);
    await says(server, 'its link has expired');
    await nothingWaits(server);
    expect([received, asked.length]).toEqual([[], 1]);
  });

  it('DAT-10: tells the moment until which its link works, which is right however late it comes', async () => {
    let down = true;
    const { received, server } = await startWith({ answer: () => (down ? 451 : undefined) });
    await signUp(server, 'patient@example.com');
    await isTried(server);
    const { expires_at } = await server.services.db
      .selectFrom('activations')
      .select('expires_at')
      .executeTakeFirstOrThrow();
    down = false;
    server.advance(HOUR_MS);
    await comes(received);
    const [day, time] = [expires_at.getUTCDate(), expires_at.toISOString().slice(11, 16)];
    expect(received[0]?.source).toMatch(new RegExp(`on ${day} \\w+ ${expires_at.getUTCFullYear()} at ${time} UTC`));
  });

  it('DAT-10: sealed with another SECRET_KEY: dropped with a clear line, and the server goes on', async () => {
    const silent = await silence();
    const borrowed = await borrowDatabase();
    const startOn = (port: number, SECRET_KEY: string) =>
      start(port, { overrides: { database: borrowed.open() }, env: { SECRET_KEY } });
    const before = await startOn(silent.port, 'a'.repeat(32));
    await post(before);
    await before.close();
    const { port, received } = await office();
    const after = await startOn(port, 'b'.repeat(32));
    await says(after, 'cannot be read');
    expect(said(after, 'cannot be read')[0]).toMatchObject({
      err: { message: 'It was sealed with another SECRET_KEY than the one of now.' },
    });
    await post(after, { to: 'next@example.com' });
    await expect.poll(() => received.map(({ to }) => to[0]), { timeout: 10_000 }).toEqual(['next@example.com']);
    await after.close();
    await borrowed.giveBack();
  });
});
