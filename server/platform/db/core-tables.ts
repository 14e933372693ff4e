import type { ColumnType, Generated } from 'kysely';
import type { Role } from '#contract/roles.ts';

/** A timestamptz: a Date both ways. */
export type Moment = ColumnType<Date, Date, Date>;
export type MaybeMoment = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** Tables of migrations 0001, 0007, 0011 and 0058 (and columns of 0004, 0012, 0029 and 0041). Secrets (passwords, refresh and activation tokens) are stored as hashes only. */
export interface CoreTables {
  /** The processes that work on this database. One that was killed stays until it has not been seen for a while. */
  processes: {
    id: string;
    role: 'all' | 'api' | 'worker';
    /** Name of its machine. */
    host: string;
    pid: number;
    started_at: Moment;
    seen_at: Moment;
    /** `unready`: something that it needs is lacking; `stopping`: it takes nothing more. */
    state: 'ready' | 'unready' | 'stopping';
    /** Live streams that it recognizes, and may. */
    streams: number;
    max_streams: number;
  };
  users: {
    id: string;
    /** As typed. */
    email: string;
    /** Lower case; unique. */
    email_key: string;
    /** Null for an account of single sign-on that never got one. */
    password_hash: string | null;
    referral: string | null;
    name: Generated<string>;
    created_at: Moment;
    /** When they were given what a new account begins with; null until then. */
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
  /** One sign-in; its refresh tokens are a family that dies together. */
  sessions: { id: string; user_id: string; created_at: Moment; revoked_at: MaybeMoment };
  refresh_tokens: {
    token_hash: string;
    session_id: string;
    created_at: Moment;
    expires_at: Moment;
    used_at: MaybeMoment;
  };
  /** `created_by`: null where nobody knows, or that account is gone. */
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
  /** Mails that wait for the mail server, each with a job; gone once sent or dropped. The mail is sealed: its links are secrets. */
  mails: { id: string; sealed: string; expires_at: MaybeMoment; created_at: Moment };
  /** One row, once a server has used the database. `storage_id`: what the note in the storage of its recordings says; null until one is claimed; `credit_key`: by which those are named who have had the starting credit. */
  installation: {
    single: Generated<boolean>;
    id: Generated<string>;
    credit_key: Generated<Uint8Array>;
    storage_id: ColumnType<string | null, string | null | undefined, string | null>;
  };
  /** See the migration that made it. */
  storage_place: { single: Generated<boolean>; mark: string; name: string; taken_at: Moment };
  /** See the migration that made it. */
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
