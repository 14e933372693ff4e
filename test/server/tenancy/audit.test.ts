import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS, AuditPage, type AuditAction } from '#contract/audit.ts';
import { PaymentStatus } from '#contract/paying.ts';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { LimitIncrease } from '#contract/limits.ts';
import { OrganizationCreated } from '#contract/organizations.ts';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { recordAudit } from '#server/tenancy/audit/log.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { addProject, auditOf, colleague, invited, organizationOf, outcomeOf, projectOf } from '../people.ts';

let server: TestServer;
let ada: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
});

/** Does one thing and gives the line that tells of it. */
async function told(act: () => Promise<Response>, by = ada) {
  const before = (await auditOf(server, ada)).length;
  const answer = await act();
  if (!answer.ok) throw new Error(await answer.text());
  const lines = await auditOf(server, ada);
  expect(lines).toHaveLength(before + 1);
  const [line] = lines;
  expect(line).toMatchObject({ actor: by.email, request_id: answer.headers.get(REQUEST_ID_HEADER) });
  expect(Math.abs(Date.parse(line?.at ?? '') - Date.now())).toBeLessThan(30_000);
  return {
    answer,
    line: line && { action: line.action, subject: line.subject, project: line.project, detail: line.detail },
  };
}

describe('the audit log', () => {
  it('LIM-09 PAY-08 WHK-07: tells every change: who, what, to whom, by which request', async () => {
    const seen = new Set<AuditAction>();
    const expectLine = async (
      action: AuditAction,
      act: () => Promise<Response>,
      rest: { subject: string; project?: string; detail?: string },
      by?: TestUser,
    ): Promise<Response> => {
      const { answer, line } = await told(act, by);
      expect(line).toEqual({ action, project: null, detail: '', ...rest });
      seen.add(action);
      return answer;
    };

    const made = await server.call(ada, 'POST', '/api/v2/organizations/', { name: 'Fresh', contact_email: ada.email });
    ada = { ...ada, organizationId: v.parse(OrganizationCreated, await made.json()).organization.uuid };
    expect(await auditOf(server, ada)).toEqual([
      expect.objectContaining({ action: 'organization.created', subject: 'Fresh', actor: ada.email, project: null }),
    ]);
    seen.add('organization.created');

    const organization = organizationOf(ada);
    await expectLine(
      'organization.updated',
      () => server.call(ada, 'PUT', organization, { name: 'Renamed', contact_email: 'b@example.com' }),
      { subject: 'Renamed', detail: `name: Fresh → Renamed; contact e-mail: ${ada.email} → b@example.com` },
    );

    const project = await expectLine(
      'project.created',
      () => server.call(ada, 'POST', `${organization}projects/`, { name: 'Talks', description: '' }),
      { subject: 'Talks', project: 'Talks' },
    );
    ada = { ...ada, projectId: (await project.json()).project.uuid };
    await expectLine(
      'project.updated',
      () => server.call(ada, 'PUT', projectOf(ada), { name: 'Speeches', description: 'Long text' }),
      { subject: 'Speeches', project: 'Speeches', detail: 'name: Talks → Speeches; description' },
    );

    const key = await (
      await expectLine(
        'api_key.created',
        () => server.call(ada, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' }),
        { subject: 'CI', project: 'Speeches', detail: expect.stringMatching(/^prl_.{4}….{4}$/) },
      )
    ).json();
    await expectLine(
      'api_key.revoked',
      () => server.call(ada, 'DELETE', `${projectOf(ada)}api-keys/${key.api_key.uuid}/`),
      { subject: 'CI', project: 'Speeches', detail: key.api_key.masked_key },
    );

    const email = 'bob-of-the-audit@example.com';
    const first = await expectLine(
      'invitation.created',
      () => server.call(ada, 'POST', `${organization}invite/`, { email, role: 'admin' }),
      { subject: email, detail: 'admin' },
    );
    await expectLine(
      'invitation.resent',
      () => server.call(ada, 'POST', `${organization}invite/`, { email, role: 'member', if_pending: 'resend' }),
      { subject: email, detail: 'admin' },
    );
    await expectLine(
      'invitation.changed',
      () => server.call(ada, 'POST', `${organization}invite/`, { email, role: 'member', if_pending: 'change' }),
      { subject: email, detail: 'admin → member' },
    );
    expect((await first.json()).role).toBe('admin');
    const [{ uuid } = { uuid: '' }] = (await (await server.call(ada, 'GET', `${organization}invite/`)).json())
      .invitations;
    await expectLine('invitation.revoked', () => server.call(ada, 'DELETE', `${organization}invite/${uuid}/`), {
      subject: email,
      detail: 'member',
    });
    const { token } = await invited(server, ada, { email, role: 'member', project_uuids: [] });
    const bob = await server.createUser({ email });
    await expectLine(
      'member.joined',
      () => server.call(bob, 'POST', `/api/v2/organizations/invite/${token}/`),
      { subject: email, detail: 'member' },
      bob,
    );

    await expectLine(
      'project_member.added',
      () => server.call(ada, 'POST', `${projectOf(ada)}users/`, { user_uuid: bob.userId }),
      { subject: email, project: 'Speeches' },
    );
    await expectLine(
      'project_member.removed',
      () => server.call(ada, 'DELETE', `${projectOf(ada)}users/`, { user_uuid: bob.userId }),
      { subject: email, project: 'Speeches' },
    );
    await expectLine(
      'member.role_changed',
      () => server.call(ada, 'PUT', `${organization}users/${bob.userId}/`, { role: 'admin' }),
      { subject: email, detail: 'member → admin' },
    );
    await expectLine(
      'member.removed',
      () => server.call(bob, 'DELETE', `${organization}users/${bob.userId}/`),
      { subject: email, detail: 'admin, left' },
      bob,
    );
    await expectLine('project.deleted', () => server.call(ada, 'DELETE', projectOf(ada)), {
      subject: 'Speeches',
      project: 'Speeches',
    });

    const setup = randomUUID();
    await expectLine(
      'payment_method.setup_begun',
      () => server.call(ada, 'POST', `${organization}payment/setup/`, { attempt: setup }),
      { subject: 'Billing' },
    );
    const attempt = randomUUID();
    await expectLine(
      'payment.begun',
      () => server.call(ada, 'POST', `${organization}payment/`, { attempt, amount_micros: 5_500_000 }),
      { subject: 'Billing', detail: '5.5 USD' },
    );
    const paid = { paymentId: attempt, amountMicros: 5_500_000, providerId: `test_${attempt}` };
    await applyPaymentEvent(server.services, { id: 'evt_paid', type: 'paid', ...paid });
    const entry = await server.services.db
      .selectFrom('ledger_entries')
      .select('id')
      .where('payment_id', '=', attempt)
      .executeTakeFirstOrThrow();
    await expectLine(
      'receipt_links.withdrawn',
      () => server.call(ada, 'DELETE', `${organization}billing/transaction/${entry.id}/receipt-url/`),
      { subject: 'TEST-R-000001' },
    );
    await expectLine(
      'billing.updated',
      () =>
        server.call(ada, 'PUT', `${organization}billing/`, {
          autopay: { enabled: false, threshold_micros: 1_000_000, amount_micros: 20_000_000 },
        }),
      { subject: 'Billing', detail: 'threshold: 5 USD → 1 USD' },
    );
    await applyPaymentEvent(server.services, {
      id: 'evt_stored',
      type: 'stored',
      paymentId: setup,
      method: { id: 'test_m', brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 },
    });
    expect((await auditOf(server, ada))[0]).toMatchObject({
      action: 'payment_method.changed',
      actor: 'Payment provider',
      subject: 'Visa 4242',
      request_id: 'evt_stored',
    });
    seen.add('payment_method.changed');
    await server.services.db
      .updateTable('accounts')
      .set({ error_message: 'No.', error_at: new Date() })
      .where('organization_id', '=', ada.organizationId)
      .execute();
    const { error } = v.parse(
      PaymentStatus,
      await (await server.call(ada, 'GET', `${organization}payment/status/`)).json(),
    );
    const read = { version: error?.version };
    await expectLine(
      'payment_error.reset',
      () => server.call(ada, 'PUT', `${organization}payment/reset-error/`, read),
      {
        subject: 'Billing',
        detail: 'No.',
      },
    );
    await expectLine('payment_method.removed', () => server.call(ada, 'POST', `${organization}payment/remove/`), {
      subject: 'Visa 4242',
    });

    const limits = `/api/v2/limits/organizations/${ada.organizationId}/`;
    await expectLine('limits.changed', () => server.call(ada, 'PUT', limits, { limits: { concurrent_streams: 5 } }), {
      subject: 'Limits',
      detail: 'concurrent streams: not set → 5',
    });
    const asked = await expectLine(
      'limit_increase.requested',
      () =>
        server.call(ada, 'POST', `${limits}increase/`, { limit: 'waiting_jobs', value: 500, reason: 'A conference' }),
      { subject: 'Limits', detail: 'waiting transcriptions: 200 → 500' },
    );
    const wish = v.parse(LimitIncrease, await asked.json());
    await runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, ['limits', 'grant', wish.uuid]);
    expect((await auditOf(server, ada))[0]).toMatchObject({ action: 'limit_increase.decided', actor: 'Operator' });
    seen.add('limit_increase.decided');

    for (const [words, line] of [
      [['credit', '2.50', 'T-1', 'Sorry'], { action: 'credit.entered', detail: '2.5 USD, T-1: Sorry' }],
      [['correct', '-1', 'T-1', 'Twice'], { action: 'correction.entered', detail: '-1 USD, T-1: Twice' }],
    ] as const) {
      const [command, ...rest] = words;
      await runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, [command, ada.organizationId, ...rest]);
      expect((await auditOf(server, ada))[0]).toMatchObject({ ...line, actor: 'Operator', subject: 'Billing' });
      seen.add(line.action);
    }

    const name = 'Hooks';
    ada = { ...ada, projectId: await addProject(server, ada, name) };
    const hooks = `${projectOf(ada)}webhooks/`;
    const ofHooks = { subject: name, project: name };
    await expectLine('webhook_secret.shown', () => server.call(ada, 'POST', `${hooks}secret/show/`), ofHooks);
    await expectLine('webhook_secret.rolled', () => server.call(ada, 'POST', `${hooks}secret/roll/`), ofHooks);
    const transcription = randomUUID();
    const at = server.services.clock();
    await server.services.db
      .insertInto('webhook_deliveries')
      .values({
        transcription_id: transcription,
        project_id: ada.projectId,
        status: 'completed',
        address: 'https://example.com/hook',
        target: 'v1.sealed',
        state: 'failed',
        status_code: 500,
        failure: 'status',
        created_at: at,
        changed_at: at,
      })
      .execute();
    await expectLine('webhook.sent_again', () => server.call(ada, 'POST', `${hooks}${transcription}/send-again/`), {
      subject: transcription,
      project: name,
      detail: 'https://example.com/hook',
    });

    // With an organization goes who could read that it was deleted.
    seen.add('organization.deleted');
    expect([...seen].sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it('a change that changes nothing, and one that is refused, leave no line', async () => {
    const bob = await colleague(server, ada, 'member');
    await server.call(ada, 'PUT', organizationOf(ada), { name: 'Test organization', contact_email: ada.email });
    await server.call(ada, 'PUT', projectOf(ada), { name: 'Test project', description: '' });
    await server.call(ada, 'PUT', `${organizationOf(ada)}users/${bob.userId}/`, { role: 'member' });
    await server.call(ada, 'PUT', `${organizationOf(ada)}users/${ada.userId}/`, { role: 'member' });
    await server.call(bob, 'DELETE', projectOf(ada));
    await server.call(ada, 'POST', `${projectOf(ada)}users/`, { user_uuid: bob.userId });
    expect(await auditOf(server, ada)).toEqual([]);
  });

  it('a line is written with its change, or not at all', async () => {
    const { db, clock } = server.services;
    const act = { userId: ada.userId, email: ada.email, requestId: 'r', at: clock() };
    const change = db.transaction().execute(async (transaction) => {
      await recordAudit(transaction, act, {
        organizationId: ada.organizationId,
        action: 'organization.updated',
        subject: 'X',
      });
      throw new Error('the change failed');
    });
    await expect(change).rejects.toThrow('the change failed');
    expect(await auditOf(server, ada)).toEqual([]);
  });

  it('has nothing of what is done in another organization', async () => {
    const eve = await server.createUser();
    await server.call(eve, 'PUT', projectOf(eve), { name: 'Hers', description: '' });
    expect(await auditOf(server, ada)).toEqual([]);
  });

  it('is read page by page, newest first', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      await server.call(ada, 'PUT', projectOf(ada), { name, description: '' });
    const names: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: AuditPage = v.parse(
        AuditPage,
        await (await server.call(ada, 'GET', `${organizationOf(ada)}audit/?limit=2&cursor=${cursor}`)).json(),
      );
      names.push(...page.entries.map(({ subject }) => subject));
      sizes.push(page.entries.length);
      cursor = page.next_page_cursor;
    }
    expect([names, sizes]).toEqual([
      ['five', 'four', 'three', 'two', 'one'],
      [2, 2, 1],
    ]);
    expect(await outcomeOf(await server.call(ada, 'GET', `${organizationOf(ada)}audit/?cursor=wrong`))).toBe(
      '400 invalid_cursor',
    );
    expect(await outcomeOf(await server.call(ada, 'GET', `${organizationOf(ada)}audit/?limit=0`))).toBe(
      '400 invalid_request',
    );
  });
});
