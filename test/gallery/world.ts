/** Who the pictures show: the demo organization, one with a past, one whose names are as long as they may be, and one just made. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { Memberships, OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { type Account, signInByApi } from '../journeys/account.ts';
import type { Billed } from '../journeys/billed-place.ts';
import { call, createAccount, linkTo, PASSWORD } from '../journeys/people.ts';

const HEBREW = 'ארגון'.repeat(12);
const ARABIC = 'مشروع'.repeat(12);
const WIDE = 'Wasserwerkswartungswagen'.repeat(3).slice(0, 60);
const EMAIL = `${'ada-lovelace-'.repeat(4)}long@${'analytical-engine'.repeat(3)}.example.org`;
const TRANSCRIPTION = '9a1b8a10-6f1c-4f0e-9a57-0d6b2f4f7a13';

/** Somebody, and where their screens are. */
export type Place = {
  account: Account;
  orgUuid: string;
  projectUuid: string;
  /** A file and a transcription to show; undefined where there are none. */
  fileUuid?: string;
  transcriptionUuid?: string;
};

export type World = {
  demo: Place;
  /** What was used and paid over two months; of the demo account, too. */
  billed: Place;
  long: Place;
  fresh: Place;
  /** What the links of mails hold. */
  tokens: Record<'signup' | 'password' | 'invite', string>;
};

/** Names as long as they may be, in three scripts. */
export const LONG = { HEBREW, ARABIC, WIDE, EMAIL };

/** What an account reaches first. */
async function placeOf(url: string, account: Account): Promise<Place> {
  const { organizations } = v.parse(Memberships, await (await call(url, account, 'GET', 'user/organizations/')).json());
  const [first] = organizations;
  return { account, orgUuid: first?.organization.uuid ?? '', projectUuid: first?.projects[0]?.uuid ?? '' };
}

/** Uploads a recording of the server's samples. */
async function upload(url: string, { account, projectUuid }: Place, name: string): Promise<string> {
  const token = JSON.stringify({ type: 'jwt', project_id: projectUuid, token: account.tokens.access });
  const form = new FormData();
  const recording = await readFile(new URL('../../server/samples/weather-report.wav', import.meta.url));
  form.append('file', new Blob([recording], { type: 'audio/wav' }), name);
  const sent = await fetch(`${url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return v.parse(StoredFile, await sent.json()).id;
}

/** An organization whose names are as long as they may be. */
async function longPlace(url: string): Promise<Place> {
  const owner = await createAccount(url, EMAIL);
  await call(url, owner, 'PUT', 'user/', { name: ARABIC });
  const made = await call(url, owner, 'POST', 'organizations/', { name: HEBREW, contact_email: 'contact@example.org' });
  const orgUuid = v.parse(OrganizationCreated, await made.json()).organization.uuid;
  const begun = await call(url, owner, 'POST', `organizations/${orgUuid}/projects/`, {
    name: WIDE,
    description: `${ARABIC} ${WIDE}`,
  });
  const projectUuid = v.parse(ProjectCreated, await begun.json()).project.uuid;
  await call(url, owner, 'POST', `organizations/${orgUuid}/projects/`, { name: ARABIC, description: HEBREW });
  for (const name of [HEBREW, WIDE])
    await call(url, owner, 'POST', `projects/${projectUuid}/api-keys/`, { name, expires_at: null });
  await call(url, owner, 'POST', `organizations/${orgUuid}/invite/`, {
    email: EMAIL.replace('ada', 'eva'),
    role: 'member',
  });
  const other = await createAccount(url, EMAIL.replace('ada', 'ida'));
  await call(url, other, 'PUT', 'user/', { name: HEBREW });
  const place = { account: owner, orgUuid, projectUuid };
  return { ...place, fileUuid: await upload(url, place, `${HEBREW}.wav`), transcriptionUuid: TRANSCRIPTION };
}

/** All that the pictures and the checks of every screen need. */
export async function createWorld({ server: { url }, orgUuid, projects }: Billed): Promise<World> {
  const long = await longPlace(url);
  const newcomer = await createAccount(url, 'newcomer@example.org');
  await call(url, newcomer, 'POST', 'user/welcome/');
  const demo = await placeOf(url, await signInByApi(url));
  const token = async (email: string, kind: 'signup' | 'password' | 'invite') =>
    ((await linkTo(url, email, kind)) ?? '').split('/')[2] ?? '';
  return {
    demo,
    billed: { account: demo.account, orgUuid, projectUuid: projects[0] ?? '' },
    long,
    fresh: await placeOf(url, await signInByApi(url, { email: 'newcomer@example.org', password: PASSWORD })),
    tokens: {
      signup: await token(EMAIL, 'signup'),
      password: 'of-nobody',
      invite: await token(EMAIL.replace('ada', 'eva'), 'invite'),
    },
  };
}

/** Answers as if one transcription, with long words in three scripts, were there. */
export async function showLongTranscription(page: Page, { fileUuid }: Place): Promise<void> {
  const done = {
    id: TRANSCRIPTION,
    status: 'completed',
    created_at: '2026-04-01T10:00:00Z',
    model: 'parlance-async-1',
    filename: `${HEBREW}.wav`,
    file_id: fileUuid,
    audio_duration_ms: 9000,
    enable_speaker_diarization: true,
    enable_language_identification: true,
  };
  const tokens = [HEBREW, ` ${WIDE}`, ` ${ARABIC}`].map((text, index) => ({
    text,
    start_ms: index * 3000,
    end_ms: index * 3000 + 2900,
    speaker: '1',
  }));
  await page.route('**/v1/transcriptions?*', (route) =>
    route.fulfill({ json: { transcriptions: [done], next_page_cursor: null } }),
  );
  await page.route(`**/v1/transcriptions/${TRANSCRIPTION}`, (route) => route.fulfill({ json: done }));
  await page.route(`**/v1/transcriptions/${TRANSCRIPTION}/transcript`, (route) =>
    route.fulfill({ json: { id: TRANSCRIPTION, text: tokens.map(({ text }) => text).join(''), tokens } }),
  );
}

/** Answers as if webhooks were sent to addresses as long as they are. */
export async function showLongWebhooks(page: Page): Promise<void> {
  const at = '2026-04-01T10:00:00Z';
  const deliveries = [`https://${WIDE}.example.org/${WIDE.repeat(4)}`, `https://example.org/${HEBREW}/${ARABIC}`].map(
    (address, index) => ({
      transcription_id: TRANSCRIPTION.replace(/.$/, String(index)),
      address,
      state: 'failed',
      tries: 123_456,
      status_code: null,
      failure: 'unreadable_secret',
      created_at: at,
      changed_at: at,
      next_try_at: null,
      can_be_sent_again: false,
    }),
  );
  await page.route('**/api/v2/**/webhooks/?*', (route) =>
    route.fulfill({ json: { deliveries, next_page_cursor: null } }),
  );
}
