import { beforeEach, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import {
  LIMITS,
  LimitIncrease,
  OrganizationLimits,
  ProjectLimits,
  type Limit,
  type LimitConfiguration,
  type LimitIncreaseRequest,
  type LimitName,
  type LimitsUpdate,
} from '#contract/limits.ts';
import { runCommand } from '#server/app/admin/commands.ts';
import { admit } from '#server/money/limits/admission.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { askForIncrease } from '#server/money/limits/increases.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { writeUsage, ended } from '../../usage.ts';
import { addProject, auditOf, outcomeOf } from '../../people.ts';
import { Served } from '../served.ts';
import { liveSession } from '../usage/live-session.ts';

const OPERATOR = 'operator@example.com';

const served = new Served({ env: { OPERATOR_EMAIL: OPERATOR } });
let server: TestServer;
let owner: TestUser;
beforeEach(() => {
  ({ server, ada: owner } = served);
});

const ofOrganization = (): string => `/api/v2/limits/organizations/${owner.organizationId}/`;
const ofProject = (project = owner.projectId): string => `/api/v2/limits/projects/${project}/`;
const readAll = async (): Promise<OrganizationLimits> =>
  v.parse(OrganizationLimits, await (await server.call(owner, 'GET', ofOrganization())).json());
const named = (limits: readonly Limit[], name: LimitName): Limit => {
  const limit = limits.find((one) => one.name === name);
  if (limit === undefined) throw new Error(`There is no limit ${name}.`);
  return limit;
};
const read = async (name: LimitName): Promise<Limit> => named((await readAll()).limits, name);
const readProject = async (name: LimitName, project?: string): Promise<Limit> =>
  named(v.parse(ProjectLimits, await (await server.call(owner, 'GET', ofProject(project))).json()).limits, name);
const set = (limits: LimitsUpdate['limits']): Promise<Response> =>
  server.call(owner, 'PUT', ofOrganization(), { limits } satisfies LimitsUpdate);
const setProject = (limits: LimitsUpdate['limits'], project?: string): Promise<Response> =>
  server.call(owner, 'PUT', ofProject(project), { limits } satisfies LimitsUpdate);
const configure = (wanted: LimitConfiguration): Promise<Response> =>
  server.call(owner, 'POST', `${ofProject()}configure/`, wanted);
const ask = (wanted: LimitIncreaseRequest): Promise<Response> =>
  server.call(owner, 'POST', `${ofOrganization()}increase/`, wanted);
const WISH: LimitIncreaseRequest = { limit: 'concurrent_streams', value: 50, reason: 'A conference\nwith many rooms' };
const mails = () =>
  server.services.db
    .selectFrom('outbox')
    .select(['recipient', 'subject', 'body_text'])
    .orderBy('position', 'desc')
    .execute();

describe('what holds', () => {
  it('ORG-07 LIM-01: without anything set the defaults, for the organization and for its projects', async () => {
    const { limits, increases } = await readAll();
    expect(limits.map(({ name }) => name)).toEqual(LIMITS);
    for (const { name, ...limit } of limits) {
      const value = LIMIT_DEFAULTS[name];
      expect(limit).toEqual({ value, own: null, maximum: value, used: 0, reserved: 0, is_reached: false });
    }
    expect(increases).toEqual([]);
    expect(v.parse(ProjectLimits, await (await server.call(owner, 'GET', ofProject())).json()).limits).toEqual(
      limits.map((limit) => ({ ...limit, organization_used: 0, organization_reserved: 0 })),
    );
  });

  it('ORG-07 LIM-01: the organization sets some and leaves the rest; null takes one away', async () => {
    expect((await set({ concurrent_streams: 5, budget_micros: 7_000_000 })).status).toBe(200);
    expect(await read('concurrent_streams')).toMatchObject({ value: 5, own: 5, maximum: 20 });
    expect(await read('budget_micros')).toMatchObject({ value: 7_000_000, own: 7_000_000, maximum: null });
    expect((await set({ concurrent_streams: null })).status).toBe(200);
    expect(await read('concurrent_streams')).toMatchObject({ value: 20, own: null, maximum: 20 });
    expect(await read('budget_micros')).toMatchObject({ own: 7_000_000 });
  });

  it('PRJ-07 LIM-01: a project is within its organization, also where that is lowered below it', async () => {
    expect((await configure({ limit: 'concurrent_streams', value: 12 })).status).toBe(200);
    expect(await readProject('concurrent_streams')).toMatchObject({ value: 12, own: 12, maximum: 20 });
    await set({ concurrent_streams: 5 });
    expect(await readProject('concurrent_streams')).toMatchObject({ value: 5, own: 12, maximum: 5 });
    expect(await outcomeOf(await setProject({ concurrent_streams: 6 }))).toBe('409 limit_too_high');
    expect((await setProject({ concurrent_streams: 4, waiting_jobs: 1 })).status).toBe(200);
    expect(await readProject('concurrent_streams')).toMatchObject({ value: 4, own: 4 });
    expect((await configure({ limit: 'concurrent_streams', value: null })).status).toBe(200);
    expect(await readProject('concurrent_streams')).toMatchObject({ value: 5, own: null });
    expect(await readProject('concurrent_streams', await addProject(server, owner, 'Other'))).toMatchObject({
      own: null,
    });
  });

  it('ORG-07 PRJ-07: more than the maximum → 409, and nothing of it is set', async () => {
    expect(await outcomeOf(await set({ waiting_jobs: 3, concurrent_streams: 21 }))).toBe('409 limit_too_high');
    expect(await read('waiting_jobs')).toMatchObject({ own: null });
    expect(await outcomeOf(await set({ budget_micros: Number.MAX_SAFE_INTEGER }))).toBe('200');
    expect(await outcomeOf(await set({ concurrent_streams: -1 }))).toBe('400 invalid_request');
    expect(await outcomeOf(await set({ concurrent_streams: 1.5 }))).toBe('400 invalid_request');
  });

  it('ORG-07 LIM-06: what is used: of a month of UTC, of all projects, deleted ones included', async () => {
    const other = await addProject(server, owner, 'Other');
    const now = server.services.clock();
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    await writeUsage(server.services.db, [
      ended({ project_id: owner.projectId, ended_at: month, audio_ms: 90_000, cost_micros: 600 }),
      ended({ project_id: other, ended_at: month, audio_ms: 60_000, cost_micros: 400 }),
      ended({ project_id: other, ended_at: new Date(month.getTime() - 1), audio_ms: 600_000, cost_micros: 5000 }),
      ended({ project_id: owner.projectId, ended_at: new Date('2020-05-04'), audio_ms: 600_000, cost_micros: 9 }),
    ]);
    expect(await read('audio_minutes')).toMatchObject({ used: 2.5 });
    expect(await readProject('audio_minutes')).toMatchObject({ used: 1.5, organization_used: 2.5 });
    expect(await read('budget_micros')).toMatchObject({ used: 1000, is_reached: false });
    expect((await server.call(owner, 'DELETE', `/api/v2/projects/${other}/`)).status).toBe(204);
    expect(await read('budget_micros')).toMatchObject({ used: 1000 });
    await set({ budget_micros: 1000, audio_minutes: 3 });
    expect(await read('budget_micros')).toMatchObject({ is_reached: true });
    expect(await read('audio_minutes')).toMatchObject({ is_reached: false });
    expect(await readProject('budget_micros')).toMatchObject({
      used: 600,
      organization_used: 1000,
      is_reached: true,
    });
  });

  it('LIM-07: what is reserved of a month is told beside what is used, of all projects and of one', async () => {
    const { db, clock } = server.services;
    const other = await addProject(server, owner, 'Other');
    await writeUsage(db, [
      ended({ project_id: owner.projectId, ended_at: clock(), audio_ms: 59_000, cost_micros: 600 }),
    ]);
    const lease = { started_at: clock(), lease_until: new Date(clock().getTime() + 30_000) };
    const sessions = [
      await liveSession(db, owner, { ...lease, reserved_ms: 61_000, reserved_micros: 100 }),
      await liveSession(db, { projectId: other }, { ...lease, reserved_ms: 61_001, reserved_micros: 101 }),
    ];
    await set({ budget_micros: 801 });
    expect(await read('budget_micros')).toMatchObject({ used: 600, reserved: 201, is_reached: true });
    const ofAll = { organization_used: 600, organization_reserved: 201 };
    expect(await readProject('budget_micros')).toMatchObject({ used: 600, reserved: 100, ...ofAll, is_reached: true });
    expect(await readProject('budget_micros', other)).toMatchObject({ used: 0, reserved: 101, ...ofAll });
    const parts = { ...server.services, limitDefaults: LIMIT_DEFAULTS };
    const { text } = await runCommand(parts, ['limits', 'list', owner.organizationId]);
    expect(text).toMatch(/^budget_micros .+, .+ reserved \(reached\)$/m);
    expect(text).toMatch(/^audio_minutes .+ 0\.983, 2\.033 reserved$/m);
    expect(await read('audio_minutes')).toMatchObject({ used: 0.983, reserved: 2.033, is_reached: false });
    expect(await readProject('audio_minutes', other)).toMatchObject({ used: 0, reserved: 1.016 });
    // What is used and reserved is as much as the limit when it is reached, and not a millisecond before.
    await setProject({ audio_minutes: 2 });
    expect(await readProject('audio_minutes')).toMatchObject({ used: 0.983, reserved: 1.017, is_reached: true });
    await db.updateTable('live_sessions').set({ reserved_ms: 60_999 }).where('id', 'in', sessions).execute();
    expect(await readProject('audio_minutes')).toMatchObject({ used: 0.983, reserved: 1.016, is_reached: false });
    // Of others it is used.
    expect(await read('concurrent_streams')).toMatchObject({ used: 2, reserved: 0 });
    await db.updateTable('live_sessions').set({ status: 'completed' }).where('id', 'in', sessions).execute();
    expect(await read('budget_micros')).toMatchObject({ used: 600, reserved: 0, is_reached: false });
  });

  it('LIM-09: a change is in the audit log, with what it was and what it is; one that changes nothing is not', async () => {
    await set({ concurrent_streams: 5, budget_micros: 7_500_000 });
    await set({ concurrent_streams: 5 });
    await configure({ limit: 'stored_bytes', value: 1_000_000 });
    await configure({ limit: 'stored_bytes', value: null });
    const log = await auditOf(server, owner);
    expect(log.map(({ action, actor, project, detail }) => [action, actor, project, detail])).toEqual([
      ['limits.changed', owner.email, 'Test project', 'stored bytes: 1,000,000 → not set'],
      ['limits.changed', owner.email, 'Test project', 'stored bytes: not set → 1,000,000'],
      ['limits.changed', owner.email, null, 'concurrent streams: not set → 5; budget per month: not set → $7.50'],
    ]);
  });
});

describe('a request that begins', () => {
  it('LIM-01: is counted for a minute, and then removed by the next one', async () => {
    const { db, clock } = server.services;
    const begin = (aheadMs: number) => {
      const services = { clock: () => new Date(clock().getTime() + aheadMs), limitDefaults: LIMIT_DEFAULTS };
      return db.transaction().execute((trx) => admit(trx, services, owner.projectId, 'temporary_key'));
    };
    for (const seconds of [0, 1, 30, 75]) await begin(seconds * 1000);
    const rows = await db
      .selectFrom('begun_requests')
      .select('at')
      .where('organization_id', '=', owner.organizationId)
      .execute();
    expect(rows).toHaveLength(2);
  });
});

describe('a wish for a higher limit', () => {
  it('ORG-07 LIM-08 LIM-09: mails the operator, is pending, and is in the audit log', async () => {
    const answer = await ask(WISH);
    expect(answer.status).toBe(201);
    const wish = v.parse(LimitIncrease, await answer.json());
    expect(wish).toMatchObject({ ...WISH, state: 'pending', decided_at: null, answer: '' });
    expect((await readAll()).increases).toEqual([wish]);
    const [mail] = await mails();
    expect(mail).toMatchObject({
      recipient: OPERATOR,
      subject: 'Test organization asks for a higher limit – Parlance',
    });
    expect(mail?.body_text).toContain(
      `${owner.email} asks for 50 concurrent streams for the organization Test organization (${owner.organizationId}); the most is 20 now. Reason: A conference with many rooms`,
    );
    expect(mail?.body_text).toContain(`limits grant ${wish.uuid}`);
    expect((await auditOf(server, owner))[0]).toMatchObject({
      action: 'limit_increase.requested',
      detail: 'concurrent streams: 20 → 50',
    });
  });

  it('LIM-08: mails whoever gives support where no address of an operator is set, and nobody without either', async () => {
    const { services } = server;
    const asking = (supportEmail: string | undefined, limit: LimitName) => {
      const config = { ...services.config, operatorEmail: undefined, supportEmail };
      const act = { userId: owner.userId, email: owner.email, requestId: 'r', at: services.clock() };
      const wish = { ...WISH, limit, value: 1_000_000 };
      return askForIncrease({ ...services, config, limitDefaults: LIMIT_DEFAULTS }, act, owner.organizationId, wish);
    };
    const before = (await mails()).length;
    await asking(undefined, 'waiting_jobs');
    expect((await mails()).length).toBe(before);
    await asking('support@example.com', 'concurrent_streams');
    expect((await mails())[0]).toMatchObject({ recipient: 'support@example.com' });
    expect((await mails()).length).toBe(before + 1);
  });

  it('LIM-08: one of each limit waits at a time, also when many ask at once; another limit has its own', async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, async () => outcomeOf(await ask(WISH))));
    expect(outcomes.toSorted()).toEqual(['201', ...Array<string>(4).fill('409 increase_pending')]);
    expect(await outcomeOf(await ask({ ...WISH, limit: 'waiting_jobs', value: 500 }))).toBe('201');
    expect((await readAll()).increases).toHaveLength(2);
  });

  it('LIM-08: for what may be set without asking → 400; for nothing → 400', async () => {
    for (const wrong of [{ value: 20 }, { limit: 'budget_micros' }, { reason: '  ' }] as const)
      expect([wrong, await outcomeOf(await ask({ ...WISH, ...wrong }))]).toEqual([wrong, '400 invalid_request']);
  });

  it('LIM-08: too many of them → 429', async () => {
    for (let n = 0; n < 10; n += 1) await ask({ ...WISH, value: 1 });
    const refused = await ask(WISH);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await outcomeOf(refused)).toBe('429 limit_exceeded');
  });
});
