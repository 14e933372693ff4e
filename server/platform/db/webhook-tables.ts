import type { Generated } from 'kysely';
import type { DeliveryState, TryFailure } from '#contract/webhooks.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Tables of migration 0032. */
export interface WebhookTables {
  /** Signing secrets of a project's webhooks: the current one, and earlier ones until they expire. */
  webhook_secrets: {
    id: string;
    project_id: string;
    sealed: string;
    created_at: Moment;
    shown_at: MaybeMoment;
    expires_at: MaybeMoment;
  };
  /** Deliveries of transcriptions' webhooks. A delivery may outlive its transcription. */
  webhook_deliveries: {
    transcription_id: string;
    position: Generated<number>;
    project_id: string;
    /** The transcription's status in the webhook. */
    status: string;
    /** The URL to show to people, without query and credentials. */
    address: string;
    /** The complete URL and header, sealed; null if the secret could not be read. */
    target: string | null;
    state: DeliveryState;
    tries: Generated<number>;
    status_code: number | null;
    failure: TryFailure | null;
    created_at: Moment;
    changed_at: Moment;
    next_try_at: MaybeMoment;
  };
  /** Attempts, one per run of a job. A row is written when the attempt begins, and updated with its outcome. */
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
