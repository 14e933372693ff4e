/** Writes webhooks into a database, one of each kind: some that wait, some that were received, some that were given up. */
import { randomUUID } from 'node:crypto';
import type { DeliveryState, TryFailure } from '#contract/webhooks.ts';
import type { Db } from '#server/platform/db/database.ts';

type Outcome = number | Exclude<TryFailure, 'status'>;
const MINUTE_MS = 60_000;

/** By how many minutes ago they were created, the newest first; how each try ended, the first one first. */
const WEBHOOKS: readonly { ago: number; path: string; state: DeliveryState; outcomes: readonly Outcome[] }[] = [
  { ago: 2, path: 'hooks/transcripts', state: 'delivered', outcomes: [200] },
  { ago: 9, path: 'hooks/transcripts', state: 'waiting', outcomes: [503, 'too_slow', 'unreachable', 502] },
  { ago: 40, path: 'hooks/transcripts', state: 'delivered', outcomes: ['interrupted', 204] },
  {
    ago: 2000,
    path: 'v2/tenants/4f1c/receivers/speech-to-text/completed',
    state: 'failed',
    outcomes: [301, 500, 500, 500, 500, 500, 500, 404],
  },
  { ago: 3000, path: 'internal', state: 'failed', outcomes: Array.from({ length: 8 }, () => 'not_allowed' as const) },
  { ago: 4000, path: 'hooks/transcripts', state: 'delivered', outcomes: [202] },
];

const endingOf = (outcome: Outcome | undefined): { status_code: number | null; failure: TryFailure | null } =>
  typeof outcome === 'number'
    ? { status_code: outcome, failure: outcome >= 200 && outcome < 300 ? null : 'status' }
    : { status_code: null, failure: outcome ?? null };

/** Also the secret that signs, as somebody has seen it; neither it nor a target can be opened. */
export async function writeWebhooks(db: Db, projectId: string): Promise<void> {
  const now = Date.now();
  const before = (minutes: number): Date => new Date(now - minutes * MINUTE_MS);
  await db
    .insertInto('webhook_secrets')
    .values([
      { id: randomUUID(), project_id: projectId, sealed: '', created_at: before(60), shown_at: before(60) },
      {
        id: randomUUID(),
        project_id: projectId,
        sealed: '',
        created_at: before(9000),
        shown_at: before(9000),
        expires_at: new Date(now + 23 * 60 * MINUTE_MS),
      },
    ])
    .execute();
  for (const [index, { ago, path, state, outcomes }] of WEBHOOKS.toReversed().entries()) {
    const id = randomUUID();
    await db
      .insertInto('webhook_deliveries')
      .values({
        transcription_id: id,
        project_id: projectId,
        status: 'completed',
        address: `https://example.com/${path}`,
        target: 'sealed',
        state,
        tries: outcomes.length,
        ...endingOf(outcomes.at(-1)),
        created_at: before(ago),
        changed_at: before(ago - 1),
        // Far enough for whoever looks at it.
        next_try_at: state === 'waiting' ? new Date(now + 36 * MINUTE_MS) : null,
      })
      .execute();
    await db
      .insertInto('webhook_tries')
      .values(
        outcomes.map((outcome, nth) => ({
          job_id: 1_000_000 + index,
          run: nth + 1,
          transcription_id: id,
          started_at: new Date(before(ago).getTime() + nth * 10_000),
          duration_ms: outcome === 'interrupted' ? null : 40 + 210 * nth,
          ...endingOf(outcome),
        })),
      )
      .execute();
  }
}
