/** What a server tells of streams and of requests that ended: by the console's screens and by the public API. */
import * as v from 'valibot';
import { OrganizationLimits, type LimitName } from '#contract/limits.ts';
import { LogPage } from '#contract/logs.ts';
import { ConcurrencyLimits, UsageLogPage } from '#contract/usage-logs.ts';
import type { TestUser } from '../harness.ts';
import { call, type SpeechServer } from './harness.ts';

const json = async <S extends v.GenericSchema>(schema: S, answer: Promise<Response>): Promise<v.InferOutput<S>> =>
  v.parse(schema, await (await answer).json());
const Limits = v.pick(OrganizationLimits, ['limits']);

/** What is used of a limit of an organization or a project, and what may be, as its screen shows it. */
export async function limitOnScreen(
  server: SpeechServer,
  user: TestUser,
  of: 'organization' | 'project',
  name: LimitName,
): Promise<{ used: number; value: number | null }> {
  const place = of === 'project' ? `projects/${user.projectId}` : `organizations/${user.organizationId}`;
  const { limits } = await json(Limits, server.call(user, 'GET', `/api/v2/limits/${place}/`));
  const found = limits.find((limit) => limit.name === name);
  if (found === undefined) throw new Error(`The ${of} has no ${name}.`);
  return { used: found.used, value: found.value };
}

/** The streams of a user's organization and project, as the screens show them, and as the public API tells of them. */
export async function streamsTold(server: SpeechServer, user: TestUser) {
  const told = await json(ConcurrencyLimits, call(server, user, 'GET', '/concurrency-limits'));
  const inApi = ({ current, limits }: ConcurrencyLimits['project']) => ({
    used: current.transcribe_concurrent,
    value: limits.transcribe_concurrent,
  });
  return {
    screens: {
      organization: await limitOnScreen(server, user, 'organization', 'concurrent_streams'),
      project: await limitOnScreen(server, user, 'project', 'concurrent_streams'),
    },
    api: { organization: inApi(told.organization), project: inApi(told.project) },
  };
}

/** The requests of a user's project that ended within the hour, last first, in its logs and as the public API tells of them. */
export async function endedTold(server: SpeechServer, user: TestUser) {
  const now = server.services.clock().getTime();
  const [from, to] = [now - 3_600_000, now + 3_600_000].map((at) => new Date(at).toISOString());
  const page = await json(
    LogPage,
    server.call(user, 'GET', `/api/v2/projects/${user.projectId}/logs/?from=${from}&to=${to}`),
  );
  const { usage_logs } = await json(
    UsageLogPage,
    call(server, user, 'GET', `/usage-logs?start_time=${from}&end_time=${to}&sort=end_time_desc`),
  );
  return {
    screens: page.logs.map(({ request_id, model, started_at, ended_at, audio_ms, cost_micros }) => ({
      request_id,
      model,
      started_at,
      ended_at,
      audio_ms,
      cost_micros,
    })),
    api: usage_logs.map((log) => ({
      request_id: log.uuid,
      model: log.model,
      started_at: log.start_time,
      ended_at: log.end_time,
      audio_ms: log.input_audio_duration_ms,
      cost_micros: log.cost_usd === null ? null : Math.round(Number(log.cost_usd) * 1e6),
    })),
  };
}
