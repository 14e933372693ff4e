import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BillingReport } from '#contract/billing.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { ended, writeUsage } from '../../usage.ts';
import { addProject, organizationOf, projectOf } from '../../people.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('BIL-02: a report names all that it can be about, deleted projects among them, whichever it is asked for', async () => {
  const [ada, eve] = [await server.createUser(), await server.createUser()];
  const gone = await addProject(server, ada, 'Abandoned');
  const ended_at = new Date('2026-05-04T10:00:00Z');
  await writeUsage(server.services.db, [ended({ project_id: gone, ended_at, cost_micros: 28 })]);
  expect((await server.call(ada, 'DELETE', projectOf({ ...ada, projectId: gone }))).status).toBe(204);
  const reportOf = async (request: object) => {
    const answer = await server.call(ada, 'POST', `${organizationOf(ada)}billing/reports/`, {
      start_date: '2026-05-01',
      end_date: '2026-05-31',
      ...request,
    });
    return v.parse(BillingReport, await answer.json());
  };
  const whole = await reportOf({});
  expect(whole.projects[0]).toEqual({ uuid: gone, name: 'Abandoned', is_deleted: true });
  expect(whole.projects.map(({ uuid }) => uuid).sort()).toEqual([gone, ada.projectId].sort());
  expect(whole.series).toMatchObject([{ project_uuid: gone, project_name: 'Abandoned', is_deleted: true }]);
  const narrow = await reportOf({ project_ids: [ada.projectId, eve.projectId] });
  expect([narrow.series, narrow.projects]).toEqual([[], whole.projects]);
});
