import type { Generated } from 'kysely';
import type { AuditAction } from '#contract/audit.ts';
import type { Role } from '#contract/roles.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Tables of migration 0004: sign-in, invitations, membership of projects, and the audit log. */
export interface PeopleTables {
  recoveries: { token_hash: string; user_id: string; created_at: Moment; expires_at: Moment; used_at: MaybeMoment };
  /** Current sign-ins at the identity provider, by the hash of their `state` parameter; the PKCE verifier is sealed. */
  sso_attempts: {
    state_hash: string;
    nonce: string;
    code_verifier: string;
    from_path: string | null;
    created_at: Moment;
    expires_at: Moment;
  };
  sso_identities: { issuer: string; subject: string; user_id: string; created_at: Moment };
  /** People signed in at the identity provider who have no account yet, until they confirm that they want one. */
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
    /** Null for all projects that exist when the person joins. */
    project_ids: string[] | null;
    invited_by: string | null;
    created_at: Moment;
    expires_at: Moment;
    accepted_at: MaybeMoment;
    revoked_at: MaybeMoment;
  };
  /** The projects that people of role `member` see. */
  project_members: { project_id: string; user_id: string; created_at: Moment };
  /**
   * Never changes, except that deleted people get a pseudonym. Deleted with its organization, except for the entry that
   * says who deleted the organization. Names are as of the time of the entry.
   */
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
