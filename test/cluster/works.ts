/** What clients do all the time, while everything happens to the processes: each a round of one thing, with what it was acknowledged. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { PaymentStatus, HostedPage } from '#contract/paying.ts';
import { StoredFile, UPLOAD_FIELD } from '#contract/files.ts';
import { CSRF_COOKIE, CSRF_HEADER, TokenPair } from '#contract/session.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { read, type Answer, type Call, type Client, type Diary } from './client.ts';
import { newRecording } from './recording.ts';
import { PASSWORD, type Tenant } from './tenant.ts';

const MODEL = 'parlance-async-1';
const CSRF = 'x'.repeat(43);
export const PAID_MICROS = 5_000_000;
/** Between two looks at what goes on by itself. */
const LOOK_MS = 300;

/** Something that was made, by the name that its client gave it. */
interface Made {
  id: string;
  reference: string;
  /** How often it was asked for: so often it may be there at most. */
  tries: number;
}

/** What the server has acknowledged. */
export class Acknowledged {
  readonly uploads: (Made & { content: Buffer })[] = [];
  readonly jobs: Made[] = [];
  /** Payments that were made on their page. */
  readonly payments: string[] = [];
  /** Addresses to which a mail was promised. */
  readonly mails: string[] = [];
  /** Keys that were revoked, and sessions that were ended. */
  endings = 0;
}

export interface Visitor {
  client: Client;
  diary: Diary;
  acknowledged: Acknowledged;
  tenant: Tenant;
}

export const withKey = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const withToken = (access: string): Record<string, string> => ({ authorization: `Bearer ${access}` });

/** Whether a request was done; what it was answered with else is a fault. */
function isDone({ diary }: Visitor, what: string, { status, bytes }: Answer, ...good: number[]): boolean {
  if (good.includes(status)) return true;
  diary.faults.push(`${what}: ${status} ${bytes.toString('utf8').slice(0, 300)}`);
  return false;
}

/** Uploads a recording. @returns its id */
export async function upload(visitor: Visitor): Promise<string | undefined> {
  const { client, acknowledged, tenant } = visitor;
  const [content, reference] = [newRecording(), randomUUID()];
  const form = new FormData();
  form.append('client_reference_id', reference);
  form.append(UPLOAD_FIELD, new Blob([Uint8Array.from(content)]), 'talk.wav');
  const answer = await client.ask({ method: 'POST', path: '/v1/files', headers: withKey(tenant.key), body: form });
  if (!isDone(visitor, 'an upload', answer, 201)) return undefined;
  const { id } = read(StoredFile, answer);
  acknowledged.uploads.push({ id, reference, tries: answer.tries, content });
  return id;
}

/** Uploads a recording and has it transcribed; waits for the end, whichever it is. */
export async function recording(visitor: Visitor): Promise<void> {
  const { client, acknowledged, tenant } = visitor;
  const [file_id, reference] = [await upload(visitor), randomUUID()];
  if (file_id === undefined) return;
  const headers = withKey(tenant.key);
  const body = { model: MODEL, file_id, client_reference_id: reference };
  const made = await client.ask({ method: 'POST', path: '/v1/transcriptions', headers, body });
  if (!isDone(visitor, 'a transcription', made, 201)) return;
  const { id } = read(Transcription, made);
  acknowledged.jobs.push({ id, reference, tries: made.tries });
  const look: Call = { method: 'GET', path: `/v1/transcriptions/${id}`, headers };
  for (;;) {
    const seen = await client.ask(look);
    if (!isDone(visitor, 'a look at a transcription', seen, 200)) return;
    if (['completed', 'error'].includes(read(Transcription, seen).status)) return;
    await wait(LOOK_MS);
  }
}

/** Signs in. @returns the pair of tokens */
async function signIn(visitor: Visitor): Promise<TokenPair | undefined> {
  const answer = await visitor.client.ask({
    method: 'POST',
    path: '/api/v2/token/',
    headers: { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF },
    body: { email: visitor.tenant.email, password: PASSWORD },
  });
  return isDone(visitor, 'a sign-in', answer, 200) ? read(TokenPair, answer) : undefined;
}

/** Asks some times with what is no longer good: whichever process answers, it refuses. */
async function isOver(visitor: Visitor, what: string, call: Call): Promise<void> {
  for (let look = 0; look < 4; look += 1) isDone(visitor, what, await visitor.client.ask(call), 401);
  visitor.acknowledged.endings += 1;
}

/** A key is made, used and revoked. */
export async function revocation(visitor: Visitor): Promise<void> {
  const { client, tenant } = visitor;
  const pair = await signIn(visitor);
  if (pair === undefined) return;
  const path = `/api/v2/projects/${tenant.projectId}/api-keys/`;
  const made = await client.ask({ method: 'POST', path, headers: withToken(pair.access), body: { name: 'short' } });
  if (!isDone(visitor, 'a new key', made, 200, 201)) return;
  const { key, api_key } = read(ApiKeyCreated, made);
  const use: Call = { method: 'GET', path: '/v1/files?limit=1', headers: withKey(key) };
  isDone(visitor, 'a use of a new key', await client.ask(use), 200);
  const gone = await client.ask({ method: 'DELETE', path: path + `${api_key.uuid}/`, headers: withToken(pair.access) });
  // Asked again, as it was done and the answer got lost.
  if (isDone(visitor, 'a revocation', gone, 200, 204, ...(gone.tries > 1 ? [404] : [])))
    await isOver(visitor, 'a use of a revoked key', use);
}

/** Somebody signs in and out. */
export async function signOut(visitor: Visitor): Promise<void> {
  const { client } = visitor;
  const pair = await signIn(visitor);
  if (pair === undefined) return;
  const look: Call = { method: 'GET', path: '/api/v2/user/', headers: withToken(pair.access) };
  isDone(visitor, 'a look by who has signed in', await client.ask(look), 200);
  const out = await client.ask({
    method: 'POST',
    path: '/api/v2/token/invalidate/',
    headers: { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF },
    body: { refresh: pair.refresh },
  });
  if (isDone(visitor, 'a sign-out', out, 200)) await isOver(visitor, 'a look by who has signed out', look);
}

/** Somebody pays on the page of the test, and looks until that is in the balance. */
export async function payment(visitor: Visitor): Promise<void> {
  const { client, acknowledged, tenant } = visitor;
  const pair = await signIn(visitor);
  if (pair === undefined) return;
  const [attempt, path] = [randomUUID(), `/api/v2/organizations/${tenant.organizationId}/payment/`];
  const body = { attempt, amount_micros: PAID_MICROS };
  const begun = await client.ask({ method: 'POST', path, headers: withToken(pair.access), body });
  if (!isDone(visitor, 'a payment', begun, 200)) return;
  const page = new URL(read(HostedPage, begun).url).pathname;
  const paid = await client.ask({
    method: 'POST',
    path: page,
    headers: {},
    form: { action: 'pay', card: '4242424242424242' },
  });
  if (!isDone(visitor, 'the page of a payment', paid, 303)) return;
  acknowledged.payments.push(attempt);
  for (;;) {
    const looked = await client.ask({
      method: 'GET',
      path: `${path}status/?attempt=${attempt}`,
      headers: withToken(pair.access),
    });
    if (!isDone(visitor, 'the state of a payment', looked, 200)) return;
    if (read(PaymentStatus, looked).attempt?.state === 'succeeded') return;
    await wait(LOOK_MS);
  }
}

/** Somebody asks for the mail by which one signs up. */
export async function mail(visitor: Visitor): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  const asked = await visitor.client.ask({
    method: 'PUT',
    path: '/api/v2/signup/verify-email/',
    // From somewhere else each time, as different people do.
    headers: {
      cookie: `${CSRF_COOKIE}=${CSRF}`,
      [CSRF_HEADER]: CSRF,
      'x-forwarded-for': `203.0.113.${visitor.acknowledged.mails.length % 250}`,
    },
    body: { email },
  });
  if (isDone(visitor, 'a mail', asked, 200)) visitor.acknowledged.mails.push(email);
}
