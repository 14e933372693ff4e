import type { Generated } from 'kysely';
import type { AuditAction } from '#contract/audit.ts';
import type { Role } from '#contract/roles.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Tables of migration 0004: how people come in, what they belong to, and what they did. */
export interface PeopleTables {
  recoveries: { token_hash: string; user_id: string; created_at: Moment; expires_at: Moment; used_at: MaybeMoment };
  /** Sign-ins that are under way at the identity provider, by the hash of their state; the verifier is sealed. */
  sso_attempts: {
    state_hash: string;
    nonce: string;
    code_verifier: string;
    from_path: string | null;
    created_at: Moment;
    expires_at: Moment;
  };
  sso_identities: { issuer: string; subject: string; user_id: string; created_at: Moment };
  /** People whom the identity provider knows and we do not yet, until they say yes. */
  sso_signups: {
    token_hash: string;
    issuer: string;
    subject: string;
    email: string;
    name: string;
    created_at: Moment;
    expires_at: Moment;
    used_at: MaybeMoment;
  };
  /** The link's token is made from the id and the server's secret, so that it can be shown again. */
  invitations: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    email: string;
    email_key: string;
    role: Role;
    /** Null: all projects that there are on joining. */
    project_ids: string[] | null;
    invited_by: string | null;
    created_at: Moment;
    expires_at: Moment;
    accepted_at: MaybeMoment;
    revoked_at: MaybeMoment;
  };
  /** Who of role `member` sees which project. */
  project_members: { project_id: string; user_id: string; created_at: Moment };
  /** Never changed, but that deleted people have a pseudonym in it; goes with its organization, but for who has deleted that. Names are as they were then. */
  audit_log: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    actor_id: string | null;
    actor: string;
    action: AuditAction;
    subject: string;
    project: string | null;
    detail: string;
    request_id: string;
    at: Moment;
  };
}
