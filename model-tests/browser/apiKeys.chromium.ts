import type { Request } from '@playwright/test';
import type { AnyMachineSnapshot } from 'xstate';
import type { ApiKey } from '#contract/api-keys.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { doneBy, failedBy, isIn, walk } from '../model.ts';
import { covering } from './covering.ts';
import { pressEscape } from '#test/journeys/fixtures.ts';
import { PausedCalls } from './pausedCalls.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  show,
  test,
  titled,
  withoutExecutor,
  type Executors,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';
import { apiKeysPage } from './pages/apiKeys.ts';

const at = '2026-01-01T00:00:00Z';
const KEY: ApiKey = {
  uuid: '11111111-1111-4111-8111-111111111111',
  name: 'Build server',
  masked_key: 'prl_ab…9Zk4',
  created_at: at,
  created_by: 'ann@example.com',
  last_used_at: null,
  expires_at: null,
};
const SECRET = 'prl_bm90LWEtcmVhbC1rZXk';
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' });
const REFUSAL = new CallError({ kind: 'HTTP', status: 400, message: 'Too late.' });

/** Not while a key is being revoked: what goes on beside that is walked without a page. */
const asksForKey = (snapshot: AnyMachineSnapshot) =>
  !isIn(snapshot, 'revocation.revoking') && (isIn(snapshot, 'keys.ready.empty') || isIn(snapshot, 'keys.ready.listed'));

const walked = walk(apiKeysMachine, {
  input: { orgUuid: 'the one of the page', projectUuid: 'the one of the page', isAsked: false, drafts: [] },
  distinguish: ({ context }) => [context.keys.length, context.revoking !== null],
  cases: {
    'xstate.done.actor.loadKeys': [doneBy('loadKeys', [KEY]), doneBy('loadKeys', [])],
    'xstate.error.actor.loadKeys': [failedBy('loadKeys', OFFLINE)],
    'xstate.done.actor.keyForm': [
      doneBy('keyForm', { outcome: 'done', answer: { api_key: KEY, key: SECRET, baseUrl: '' }, values: {} }),
      doneBy('keyForm', { outcome: 'dismissed' }),
      doneBy('keyForm', { outcome: 'left' }),
    ],
    'xstate.error.actor.revokeKey': [failedBy('revokeKey', REFUSAL), failedBy('revokeKey', GONE)],
    // Raised by the chart itself.
    'key.revoked': [],
    'revoke.requested': [{ type: 'revoke.requested', key: KEY }],
    // A dialog lies over the button everywhere else.
    'key.create.requested': (snapshot) => (asksForKey(snapshot) ? [{ type: 'key.create.requested' }] : []),
  },
});
const paths = covering(walked);

/** Declared transitions that the person at this page does not cause. */
const EXCEPTIONS = {
  'apiKeys.keys.ready.deciding —always if isAsked→ apiKeys.keys.ready.making':
    'Needs an address that asks: test/journeys/palette.journey.ts.',
  'apiKeys.keys.ready.deciding —always if hasDraft→ apiKeys.keys.ready.making':
    'Needs a session that ended: test/journeys/tabs.journey.ts.',
  'apiKeys.keys.ready.making —key.create.requested→ (stays)': 'The dialog lies over the button.',
  'apiKeys.keys.ready.revealing —key.create.requested→ (stays)': 'The dialog lies over the button.',
};

const CHART = ['workspace', 'apiKeys'];
const fixture = useConsolePage();
let project: string;
const held = new PausedCalls(callOf);

function callOf(request: Request): string | null {
  if (!new URL(request.url()).pathname.startsWith(`/api/v2/projects/${project}/api-keys/`)) return null;
  if (request.method() === 'GET' && request.url().includes(KEY.uuid)) return 'readKey';
  return { GET: 'loadKeys', POST: 'keyForm', DELETE: 'revokeKey' }[request.method()] ?? null;
}

test.beforeAll(async () => {
  const { page, playground } = fixture();
  project = /\/projects\/([\w-]+)/.exec(playground)?.[1] ?? '';
  await held.stand(page, '**/api/v2/**');
});

function performance({ page, playground }: ConsolePage): Performance<typeof apiKeysMachine> {
  const { create, rows, revoke, retry, form, secret, question } = apiKeysPage(page);
  const toast = (text: string) => expect(page.getByText(text).last()).toBeVisible();
  const submit = async () => {
    await form.getByLabel('Name').fill(KEY.name);
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    expect((await held.of('keyForm')).request().postDataJSON()).toEqual({ name: KEY.name, expires_at: null });
  };

  const executors: Executors<typeof apiKeysMachine> = {
    'xstate.init': async () => {
      held.forget();
      await show(page, `${playground.replace(/playground\/.*$/, '')}api/keys/`, CHART);
    },
    'xstate.done.actor.loadKeys': ({ output }) => held.answer('loadKeys', { api_keys: output }),
    'xstate.error.actor.loadKeys': ({ error }) => held.fail('loadKeys', error),
    'retry.requested': () => retry.click(),
    'key.create.requested': () => create.click(),
    'xstate.done.actor.keyForm': async ({ output }) => {
      if (output.outcome === 'dismissed') return form.getByRole('button', { name: 'Cancel' }).click();
      await submit();
      if (output.outcome === 'done') return held.answer('keyForm', output.answer, 201);
      // Left while nobody knows whether there is a key.
      await pressEscape(page);
      await question.getByRole('button', { name: 'Leave' }).click();
    },
    'xstate.done.actor.secretReveal': async () => {
      await secret.getByRole('button', { name: 'Done' }).click();
      await question.getByRole('button', { name: 'Close anyway' }).click();
      await expect(create).toBeFocused();
      expect(await page.content()).not.toContain(SECRET);
    },
    'revoke.requested': ({ key }) => revoke(key.name).click(),
    'revoke.confirmed': () => question.getByRole('button', { name: 'Revoke' }).click(),
    'revoke.dismissed': async () => {
      await question.getByRole('button', { name: 'Cancel' }).click();
      await expect(revoke(KEY.name)).toBeFocused();
    },
    'xstate.done.actor.revokeKey': async () => {
      await held.answer('revokeKey', {});
      await toast('Success! API key was revoked.');
    },
    'xstate.error.actor.revokeKey': async ({ error }) => {
      await held.fail('revokeKey', error);
      await toast(
        error === GONE ? 'Success! API key was revoked.' : `Error! Failed to revoke API key. ${REFUSAL.message}`,
      );
    },
  };

  return {
    executors,
    chart: () => chartOf(page, CHART),
    expectations: {
      'keys.loading': async () => {
        await held.of('loadKeys');
      },
      'keys.failed': async () => {
        await expect(page.getByRole('alert').filter({ hasText: 'API keys could not be loaded.' })).toBeVisible();
      },
      'keys.ready.empty': async () => {
        await expect(page.getByText('No API keys yet')).toBeVisible();
        await expect(form).toHaveCount(0);
      },
      'keys.ready.listed': async () => {
        await expect(rows.filter({ hasText: KEY.name })).toContainText(/prl_ab…9Zk4.*Never.*Never/);
        await expect(form).toHaveCount(0);
        await expect(question).toHaveCount(0);
      },
      'keys.ready.making': async () => {
        await expect(form.getByLabel('Name')).toBeFocused();
      },
      'keys.ready.revealing': async () => {
        const shown = secret.getByLabel('API key', { exact: true });
        await expect(shown).toHaveText(/^•+$/);
        await secret.getByRole('button', { name: 'Show' }).click();
        await expect(shown).toHaveText(SECRET);
      },
      'keys.ready.confirming': async ({ context }) => {
        await expect(question).toContainText(context.revoking.name);
      },
      'revocation.revoking': async () => {
        await held.of('revokeKey');
      },
    },
  };
}

requireComplete(apiKeysMachine, paths, performance);

test.describe('PRJ-03: the keys of a project', () => {
  for (const [title, path] of titled(paths)) {
    test(title || 'begins', async () => {
      await perform(path, performance(fixture()));
    });
  }
});

test('every transition of the keys is walked, but those that nobody at the page causes', () => {
  expect(walked.unwalked(paths)).toEqual(Object.keys(EXCEPTIONS));
  expect(withoutExecutor(paths, performance(fixture()).executors)).toEqual([]);
});
