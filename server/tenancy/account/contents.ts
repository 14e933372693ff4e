/** The files of an export of a person's data, each read in pieces of bounded size. */
import { ROLES, may } from '#contract/roles.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import type { SignedIn } from '../../platform/callers.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { membershipsOf } from '../organizations/queries.ts';
import { visibleProjects } from '../projects/queries.ts';
import type { ExportContents } from './export.ts';

/** Rows in one piece. A piece of transcripts has fewer, because each may be long. */
const PIECE = 500;
const TRANSCRIPTS = 20;

/** Roles that may read transcripts: those that may use the playground. */
const READERS = ROLES.filter((role) => may(role, 'playground.use'));

/** Reads each file when its turn comes, with the rights that the person has then. */
export function contentsOf(
  { database: { reports: db }, publicUrl }: Services,
  { userId, email }: SignedIn,
): ExportContents {
  const organizations = db.selectFrom('memberships').select('organization_id').where('user_id', '=', userId);
  const address = email.toLowerCase();
  return {
    'profile.json': () => jsonFile(() => profileOf(db, userId)),
    'organizations.json': () => jsonFile(() => membershipsOf(db, userId)),
    'sessions.jsonl': () =>
      jsonLines(PIECE, (after: string | undefined) =>
        db
          .selectFrom('sessions')
          .select((eb) => [
            'sessions.id as place',
            'sessions.created_at as began_at',
            'sessions.revoked_at as ended_at',
            eb
              .selectFrom('refresh_tokens')
              .select((of) => of.fn.max('refresh_tokens.created_at').as('at'))
              .whereRef('refresh_tokens.session_id', '=', 'sessions.id')
              .as('last_renewed_at'),
          ])
          .where('sessions.user_id', '=', userId)
          .$if(after !== undefined, (query) => query.where('sessions.id', '>', after ?? ''))
          .orderBy('sessions.id')
          .limit(PIECE)
          .execute(),
      ),
    'api-keys.jsonl': () =>
      jsonLines(PIECE, (after: number = 0) =>
        db
          .selectFrom('api_keys')
          .innerJoin('projects', 'projects.id', 'api_keys.project_id')
          .select([
            'api_keys.position as place',
            'api_keys.id as uuid',
            'api_keys.name',
            'api_keys.masked as masked_key',
            'projects.id as project_uuid',
            'projects.name as project',
            'api_keys.created_at',
            'api_keys.expires_at',
            'api_keys.last_used_at',
            'api_keys.revoked_at',
          ])
          .where('api_keys.created_by', '=', userId)
          .where('projects.organization_id', 'in', organizations)
          .where('api_keys.position', '>', after)
          .orderBy('api_keys.position')
          .limit(PIECE)
          .execute(),
      ),
    'invitations.jsonl': () =>
      jsonLines(PIECE, (after: number = 0) =>
        db
          .selectFrom('invitations')
          .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
          .select([
            'invitations.position as place',
            'organizations.name as organization',
            'invitations.email',
            'invitations.role',
            'invitations.created_at',
            'invitations.expires_at',
            'invitations.accepted_at',
            'invitations.revoked_at',
          ])
          .where((eb) =>
            eb.or([
              eb('invitations.email_key', '=', emailKey(email)),
              eb.and([
                eb('invitations.invited_by', '=', userId),
                eb('invitations.organization_id', 'in', organizations),
              ]),
            ]),
          )
          .where('invitations.position', '>', after)
          .orderBy('invitations.position')
          .limit(PIECE)
          .execute(),
      ),
    'audit-log.jsonl': () =>
      jsonLines(PIECE, (after: number = 0) =>
        db
          .selectFrom('audit_log')
          .leftJoin('organizations', 'organizations.id', 'audit_log.organization_id')
          .select((eb) => [
            'audit_log.position as place',
            // A deleted organization keeps only the entry of its deletion, whose subject is its name.
            eb.fn.coalesce('organizations.name', 'audit_log.subject').as('organization'),
            'audit_log.at',
            'audit_log.actor',
            'audit_log.action',
            'audit_log.subject',
            'audit_log.project',
            'audit_log.detail',
            'audit_log.request_id',
          ])
          .where((eb) =>
            eb.or([eb('audit_log.actor_id', '=', userId), eb(eb.fn<string>('lower', ['subject']), '=', address)]),
          )
          .where((eb) =>
            eb.or([
              eb('audit_log.organization_id', 'in', organizations),
              eb.and([eb('audit_log.action', '=', 'organization.deleted'), eb('audit_log.actor_id', '=', userId)]),
            ]),
          )
          .where('audit_log.position', '>', after)
          .orderBy('audit_log.position')
          .limit(PIECE)
          .execute(),
      ),
    'requests.jsonl': () =>
      jsonLines(PIECE, (after: number = 0) =>
        db
          .selectFrom('usage_rows')
          .select([
            'position as place',
            'request_id',
            'project_id as project_uuid',
            'project_name as project',
            'kind',
            'model',
            'status',
            'error_type',
            'started_at',
            'ended_at',
            'audio_ms',
            'cost_micros',
          ])
          .where('user_id', '=', userId)
          .where('project_id', 'in', visibleProjects(db, userId).select('projects.id'))
          .where('position', '>', after)
          .orderBy('position')
          .limit(PIECE)
          .execute(),
      ),
    'transcriptions.jsonl': () =>
      jsonLines(TRANSCRIPTS, async (after: number = 0) => {
        const rows = await visibleProjects(db, userId)
          .innerJoin('transcriptions', 'transcriptions.project_id', 'projects.id')
          .leftJoin('transcripts', 'transcripts.transcription_id', 'transcriptions.id')
          .select([
            'transcriptions.position as place',
            'transcriptions.id',
            'projects.organization_id',
            'projects.id as project_uuid',
            'projects.name as project',
            'transcriptions.filename',
            'transcriptions.model',
            'transcriptions.status',
            'transcriptions.error_message',
            'transcriptions.created_at',
            'transcriptions.finished_at',
            'transcriptions.audio_duration_ms',
            'transcripts.text',
          ])
          .where('memberships.role', 'in', READERS)
          .where('transcriptions.user_id', '=', userId)
          .where('transcriptions.position', '>', after)
          .orderBy('transcriptions.position')
          .limit(TRANSCRIPTS)
          .execute();
        return rows.map(({ organization_id, ...row }) => ({
          ...row,
          url: `${publicUrl()}/org/${organization_id}/projects/${row.project_uuid}/playground/speech-to-text/${row.id}/`,
        }));
      }),
  };
}

async function profileOf(db: Db, userId: string): Promise<object> {
  const { password_hash, ...user } = await db
    .selectFrom('users')
    .select(['id as uuid', 'email', 'name', 'created_at', 'referral', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const single_sign_on = await db
    .selectFrom('sso_identities')
    .select(['issuer', 'subject', 'created_at as since'])
    .where('user_id', '=', userId)
    .execute();
  return { ...user, has_password: password_hash !== null, single_sign_on };
}

/** A file that is one JSON value. */
async function* jsonFile(read: () => Promise<unknown>): AsyncIterable<string> {
  yield `${JSON.stringify(await read(), null, 2)}\n`;
}

/** A file with one JSON value per line. @param read up to `size` rows after a place, in order of their places */
async function* jsonLines<Place extends string | number>(
  size: number,
  read: (after: Place | undefined) => Promise<readonly { place: Place }[]>,
): AsyncIterable<string> {
  for (let after: Place | undefined; ;) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ place: _place, ...row }) => `${JSON.stringify(row)}\n`).join('');
    if (rows.length < size) return;
    after = last.place;
  }
}
