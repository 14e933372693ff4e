import type { ColumnType, Generated } from 'kysely';
import type { Role } from '#contract/roles.ts';

/** A timestamptz, read and written as a Date. */
export type Moment = ColumnType<Date, Date, Date>;
export type MaybeMoment = ColumnType<Date | null, Date | null | undefined, Date | null>;

/**
 * Tables of migrations 0001, 0007, 0011 and 0058 (and columns of 0004, 0012, 0029 and 0041). Secrets (passwords,
 * refresh and activation tokens) are stored as hashes only.
 */
export interface CoreTables {
  /** The processes that use this database. A killed one stays until it was not seen for a while. */
  processes: {
    id: string;
    role: 'all' | 'api' | 'worker';
    /** Name of the machine. */
    host: string;
    pid: number;
    started_at: Moment;
    seen_at: Moment;
    /** `unready`: a readiness check fails; `stopping`: it takes no new work. */
    state: 'ready' | 'unready' | 'stopping';
    /** Open live streams, and the most it can open. */
    streams: number;
    max_streams: number;
  };
  users: {
    id: string;
    /** The address as the user typed it. */
    email: string;
    /** The normalized address; unique. */
    email_key: string;
    /** Null for a single sign-on account without a password. */
    password_hash: string | null;
    referral: string | null;
    name: Generated<string>;
    created_at: Moment;
    /** When the user got, joined or lost a first organization; null before: only such a user gets one made. */
    welcomed_at: MaybeMoment;
  };
  activations: {
    token_hash: string;
    email: string;
    email_key: string;
    referral: string | null;
    from_path: string | null;
    created_at: Moment;
    expires_at: Moment;
    used_at: MaybeMoment;
  };
  /** One row per sign-in; revoking it ends all its refresh tokens. */
  sessions: { id: string; user_id: string; created_at: Moment; revoked_at: MaybeMoment };
  refresh_tokens: {
    token_hash: string;
    session_id: string;
    created_at: Moment;
    expires_at: Moment;
    used_at: MaybeMoment;
  };
  /** `created_by` is null if unknown, or if that account is deleted. */
  organizations: {
    id: string;
    position: Generated<number>;
    name: string;
    contact_email: string;
    feature_flags: string[];
    created_by: ColumnType<string | null, string | null | undefined, string | null>;
    created_at: Moment;
  };
  memberships: { organization_id: string; user_id: string; role: Role; created_at: Moment };
  projects: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    name: string;
    description: string;
    created_at: Moment;
  };
  /** GCRA: the theoretical arrival time of the next allowed call, in milliseconds since the epoch. */
  rate_limits: { key: string; arrival_ms: number };
  /**
   * Mails for the mail server, each with a job; deleted once sent or dropped. Sealed, because their links are secrets.
   */
  mails: { id: string; sealed: string; expires_at: MaybeMoment; created_at: Moment };
  /**
   * One row, once a server has used the database. `storage_id` is the id in the storage's note; null until a storage is
   * claimed. `credit_key` keys the digests of the people who have had the starting credit.
   */
  installation: {
    single: Generated<boolean>;
    id: Generated<string>;
    credit_key: Generated<Uint8Array>;
    storage_id: ColumnType<string | null, string | null | undefined, string | null>;
  };
  /** The mark of the storage that the servers use; see `installation.ts`. */
  storage_place: { single: Generated<boolean>; mark: string; name: string; taken_at: Moment };
  /** Migrations that a version must know to use the database; see `migrate.ts`. */
  required_migrations: { name: string };
  outbox: {
    id: string;
    position: Generated<number>;
    recipient: string;
    subject: string;
    body_text: string;
    body_html: string;
    created_at: Moment;
  };
}
