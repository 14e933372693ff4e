import type { Generated } from 'kysely';
import type { DeliveryState, TryFailure } from '#contract/webhooks.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Tables of migration 0032. */
export interface WebhookTables {
  /** What a project's webhooks are signed with: one that does not expire, and those that were rolled, until they do. */
  webhook_secrets: {
    id: string;
    project_id: string;
    sealed: string;
    created_at: Moment;
    shown_at: MaybeMoment;
    expires_at: MaybeMoment;
  };
  /** What became of the webhook of a transcription, which it may outlive. */
  webhook_deliveries: {
    transcription_id: string;
    position: Generated<number>;
    project_id: string;
    /** What is told of the transcription. */
    status: string;
    /** For people: without query and credentials. */
    address: string;
    /** Address and header as they are needed to send it, sealed; null where its secret could not be read. */
    target: string | null;
    state: DeliveryState;
    tries: Generated<number>;
    status_code: number | null;
    failure: TryFailure | null;
    created_at: Moment;
    changed_at: Moment;
    next_try_at: MaybeMoment;
  };
  /** Each try, written as it begins; how it ended is written with what follows from that. A run of a job makes one. */
  webhook_tries: {
    job_id: number;
    run: number;
    transcription_id: string;
    started_at: Moment;
    duration_ms: number | null;
    status_code: number | null;
    failure: TryFailure | null;
  };
}
