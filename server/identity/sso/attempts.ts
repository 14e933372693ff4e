import type { Services } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashToken } from '../accounts/sessions.ts';
import { sealerFor, Unreadable, type Sealer } from '../../platform/sealed.ts';
import type { SecretFor } from '../../platform/secrets.ts';
import type { Proofs } from './provider.ts';

/** Longest sign-in at the provider. */
const ATTEMPT_LIFE_MS = 600_000;

/** The same refusal for a state that is unknown, used, expired or another browser's, so that it reveals nothing. */
const attemptInvalid = (): Refusal =>
  new Refusal(
    'invalid',
    'sso_attempt_invalid',
    'This sign-in took too long, was used already, or was begun in another browser. Please start again.',
  );

/** The key of an attempt: a hash of its state and of the secret of the browser that began it. */
function keyOf(state: string, browser: string): string {
  return hashToken(`${state} ${browser}`);
}

/** Seals code verifiers, because with one a stolen code could be exchanged for the person's tokens. */
export const verifierSealer = (secretFor: SecretFor): Sealer => sealerFor(secretFor, 'verifiers of single sign-on');

/** Stores an attempt with the proofs that the browser's return is checked against. */
export async function keepAttempt(
  services: Services,
  browser: string,
  { state, nonce, codeVerifier }: Proofs,
  from: string | undefined,
): Promise<void> {
  const { db, clock } = services;
  const now = clock();
  const state_hash = keyOf(state, browser);
  await db
    .insertInto('sso_attempts')
    .values({
      state_hash,
      nonce,
      code_verifier: verifierSealer(services.secretFor).seal(codeVerifier, state_hash),
      from_path: from ?? null,
      created_at: now,
      expires_at: new Date(now.getTime() + ATTEMPT_LIFE_MS),
    })
    .execute();
}

/** Removes and returns an attempt, so that a second return finds none. @throws Refusal sso_attempt_invalid */
export async function takeAttempt(
  services: Services,
  browser: string | undefined,
  states: readonly string[],
): Promise<{ proofs: Proofs; from: string | null }> {
  const [state, ...more] = states;
  if (browser === undefined || state === undefined || more.length > 0) throw attemptInvalid();
  const { db, clock } = services;
  const row = await db
    .deleteFrom('sso_attempts')
    .where('state_hash', '=', keyOf(state, browser))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || row.expires_at <= clock()) throw attemptInvalid();
  try {
    return {
      proofs: {
        state,
        nonce: row.nonce,
        codeVerifier: verifierSealer(services.secretFor).open(row.code_verifier, row.state_hash),
      },
      from: row.from_path,
    };
  } catch (error) {
    // Begun with a SECRET_KEY that is no longer accepted.
    if (error instanceof Unreadable) throw attemptInvalid();
    throw error;
  }
}
