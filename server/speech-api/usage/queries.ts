import type { Selectable } from 'kysely';
import type { UsageLog, UsageLogPage, UsageLogQuery } from '#contract/usage-logs.ts';
import { PAGE_SIZE_MAX } from '#contract/fields.ts';
import type { Db } from '../../platform/db/database.ts';
import type { UsageTables } from '../../platform/db/usage-tables.ts';
import { decodePlace, encodePlace } from '../../platform/paging.ts';
import { toUsd } from '../../money/usage/prices.ts';

/** Identifies cursors of this list. */
const CURSOR = 'u';

type Row = Selectable<UsageTables['usage_rows']>;

/** Costs of a request without a price: null, because 0 would mean that it was free. */
const NO_COSTS = {
  cost_usd: null,
  input_cost_usd: null,
  input_text_cost_usd: null,
  input_audio_cost_usd: null,
  output_cost_usd: null,
  output_text_cost_usd: null,
  output_audio_cost_usd: null,
};

/** Only input audio has a price. */
function costsOf({ cost_micros }: Pick<Row, 'cost_micros'>) {
  if (cost_micros === null) return NO_COSTS;
  const cost = toUsd(cost_micros);
  return {
    cost_usd: cost,
    input_cost_usd: cost,
    input_text_cost_usd: '0',
    input_audio_cost_usd: cost,
    output_cost_usd: '0',
    output_text_cost_usd: '0',
    output_audio_cost_usd: '0',
  };
}

const toUsageLog = (row: Row): UsageLog => ({
  uuid: row.request_id,
  request_scope: row.origin === 'public_api' ? 'api' : 'playground',
  client_reference_id: row.client_reference_id,
  model: row.model,
  start_time: row.started_at.toISOString(),
  end_time: row.ended_at.toISOString(),
  input_text_tokens: row.input_tokens,
  // Audio is counted by its length, not in tokens, and the server outputs none.
  input_audio_tokens: 0,
  input_audio_duration_ms: row.audio_ms,
  output_text_tokens: row.output_tokens,
  output_audio_tokens: 0,
  output_audio_duration_ms: 0,
  ...costsOf(row),
});

/**
 * One page of a project's requests that used something: completed ones, and others if they had audio.
 * @throws Refusal invalid_cursor
 */
export async function listUsageLogs(
  db: Db,
  projectId: string,
  { start_time, end_time, limit = PAGE_SIZE_MAX, sort = 'end_time_asc', cursor }: UsageLogQuery,
): Promise<UsageLogPage> {
  const after = cursor ? decodePlace(CURSOR, cursor) : null;
  const [beyond, direction] = sort === 'end_time_asc' ? (['>', 'asc'] as const) : (['<', 'desc'] as const);
  const found = await db
    .selectFrom('usage_rows')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ended_at', '>=', new Date(start_time))
    .where('ended_at', '<', new Date(end_time))
    .where((or) => or.or([or('status', '=', 'completed'), or('audio_ms', '>', 0)]))
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('ended_at', 'position'), beyond, tuple(new Date(after?.at ?? 0), after?.position ?? 0)),
      ),
    )
    .orderBy('ended_at', direction)
    .orderBy('position', direction)
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    usage_logs: rows.map(toUsageLog),
    next_page_cursor:
      found.length > limit && last
        ? encodePlace(CURSOR, { at: last.ended_at.getTime(), position: last.position })
        : null,
  };
}
