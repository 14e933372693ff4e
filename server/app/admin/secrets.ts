/** Commands that change the secret key, and seal everything in the database again with the new one. */
import { sql } from 'kysely';
import { verifierSealer } from '../../identity/sso/attempts.ts';
import { OperatorError } from '../operator-error.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { MAILS_SECRET } from '../../platform/mail/queue.ts';
import { sealerFor, Unreadable, type Sealer } from '../../platform/sealed.ts';
import { forgetSecrets, renewSecret, type SecretFor } from '../../platform/secrets.ts';
import { webhookSealer } from '../../speech-api/transcriptions/webhook-secret.ts';
import { targetSealer } from '../../speech-api/webhooks/deliveries.ts';
import { secretSealer } from '../../speech-api/webhooks/secrets.ts';

export type SecretParts = Pick<Services, 'db' | 'secretFor'> & {
  config: Pick<Services['config'], 'secretKey' | 'dataDir'>;
};

/** A column of sealed texts. `about`: the column of the row's key, which is part of the seal. */
interface Place {
  what: string;
  table: keyof Schema;
  column: string;
  about: string;
  sealer: (secretFor: SecretFor) => Sealer;
}

/** All columns with sealed texts. */
export const PLACES: readonly Place[] = [
  {
    what: 'waiting mails',
    table: 'mails',
    column: 'sealed',
    about: 'id',
    sealer: (secretFor) => sealerFor(secretFor, MAILS_SECRET),
  },
  {
    what: 'headers of webhooks',
    table: 'transcriptions',
    column: 'webhook_auth_sealed',
    about: 'id',
    sealer: webhookSealer,
  },
  {
    what: 'targets of webhooks',
    table: 'webhook_deliveries',
    column: 'target',
    about: 'transcription_id',
    sealer: targetSealer,
  },
  { what: 'secrets of webhooks', table: 'webhook_secrets', column: 'sealed', about: 'id', sealer: secretSealer },
  {
    what: 'sign-ins under way',
    table: 'sso_attempts',
    column: 'code_verifier',
    about: 'state_hash',
    sealer: verifierSealer,
  },
];

/** Rows per query. */
const BATCH = 500;

interface Counts {
  what: string;
  /** Texts sealed with the current key. */
  current: number;
  /** Texts sealed with another accepted key. */
  others: number;
  /** Texts that no accepted key can open. */
  lost: number;
}

/** Runs `secrets check`, `rotate`, `renew` or `forget`. @throws OperatorError */
export async function runSecrets(parts: SecretParts, verb: 'check' | 'rotate' | 'renew' | 'forget' | (string & {})) {
  const { db, secretFor, config } = parts;
  if (verb === 'check') return summaryOf(await countSealed(db, secretFor));
  if (verb === 'rotate') return rotate(db, secretFor);
  if (config.secretKey !== undefined)
    throw new OperatorError(
      'SECRET_KEY sets the secret key of this server. Change it there, with SECRET_KEYS_ACCEPTED. See docs/operating.md, Changing SECRET_KEY.',
    );
  if (verb === 'renew') {
    renewSecret(config.dataDir);
    secretFor.reload();
    return rotate(db, secretFor);
  }
  requireCurrent(await countSealed(db, secretFor));
  forgetSecrets(config.dataDir);
  secretFor.reload();
  return { text: 'The earlier keys are invalid now.', data: {} };
}

/** @throws OperatorError if an earlier key is still needed */
function requireCurrent(counts: readonly Counts[]): void {
  const left = counts.reduce((sum, { others }) => sum + others, 0);
  if (left > 0)
    throw new OperatorError(
      `${left} texts are sealed with an earlier key: npm run admin -- secrets rotate. Nothing was changed.`,
    );
}

/** Seals with the current key what other keys have sealed. Leaves texts alone that somebody changes meanwhile. */
async function rotate(db: Db, secretFor: SecretFor) {
  let resealed = 0;
  for (const place of PLACES) resealed += await reseal(db, secretFor, place);
  const { text, data } = summaryOf(await countSealed(db, secretFor));
  return { text: `Sealed again: ${resealed}.\n${text}`, data: { ...data, sealed_anew: resealed } };
}

async function reseal(
  db: Db,
  secretFor: SecretFor,
  { table, column, about, sealer: sealerOf }: Place,
): Promise<number> {
  const sealer = sealerOf(secretFor);
  const [, ...others] = sealer.beginnings();
  const [from, text, key] = [sql.table(table), sql.ref(column), sql.ref(about)];
  let resealed = 0;
  for (let after: string | undefined; ;) {
    const { rows } = await sql<{ key: string; text: string }>`select ${key} as key, ${text} as text from ${from}
      where ${beginsWith(column, others)} ${after === undefined ? sql`` : sql`and ${key} > ${after}`}
      order by ${key} limit ${BATCH}`.execute(db);
    for (const row of rows) {
      let opened: string;
      try {
        opened = sealer.open(row.text, row.key);
      } catch (error) {
        if (error instanceof Unreadable) continue;
        throw error;
      }
      const { numAffectedRows = 0n } = await sql`update ${from} set ${text} = ${sealer.seal(opened, row.key)}
        where ${key} = ${row.key} and ${text} = ${row.text}`.execute(db);
      resealed += Number(numAffectedRows);
    }
    after = rows.at(-1)?.key;
    if (after === undefined) return resealed;
  }
}

const beginsWith = (column: string, beginnings: readonly string[]) =>
  sql<boolean>`exists (select from unnest(${beginnings}::text[]) as beginning where starts_with(${sql.ref(column)}, beginning))`;

async function countSealed(db: Db, secretFor: SecretFor): Promise<Counts[]> {
  const counts: Counts[] = [];
  for (const { what, table, column, sealer } of PLACES) {
    const [now = '', ...others] = sealer(secretFor).beginnings();
    const { rows } = await sql<{
      all: number;
      current: number;
      others: number;
    }>`select count(${sql.ref(column)}) as all,
        count(*) filter (where ${beginsWith(column, [now])}) as current,
        count(*) filter (where ${beginsWith(column, others)}) as others from ${sql.table(table)}`.execute(db);
    const [found = { all: 0, current: 0, others: 0 }] = rows;
    counts.push({ what, current: found.current, others: found.others, lost: found.all - found.current - found.others });
  }
  return counts;
}

function summaryOf(counts: readonly Counts[]) {
  const sum = (of: 'others' | 'lost'): number => counts.reduce((total, count) => total + count[of], 0);
  const lines = counts
    .filter(({ current, others, lost }) => current + others + lost > 0)
    .map(
      ({ what, current, others, lost }) =>
        `${what}: ${current} with the current key, ${others} with another accepted key${lost === 0 ? '' : `, ${lost} that cannot be read`}`,
    );
  const end = sum('others') === 0 ? 'Nothing needs another key.' : `Still sealed with other keys: ${sum('others')}.`;
  return {
    text: [...lines, end].join('\n'),
    data: { places: counts, left: sum('others'), lost: sum('lost') },
  };
}
