import type { Services } from '../../platform/context.ts';
import { ApiProblem } from '../../http/errors.ts';
import { hashToken } from '../accounts/sessions.ts';
import { sealerFor, Unreadable, type Sealer } from '../../platform/sealed.ts';
import type { SecretFor } from '../../platform/secrets.ts';
import type { Proofs } from './provider.ts';

/** As long as a sign-in at the provider may take. */
const ATTEMPT_LIFE_MS = 600_000;

/** One text for a state that is unknown, used, outdated or another browser's: none of them tells more than the others. */
const attemptInvalid = (): ApiProblem =>
  new ApiProblem(
    400,
    'sso_attempt_invalid',
    'This sign-in took too long, was used already, or was begun in another browser. Please start again.',
  );

/** An attempt is found by its state and the secret of the browser that began it, together. */
function keyOf(state: string, browser: string): string {
  return hashToken(`${state} ${browser}`);
}

/** With the verifier, a stolen code could be traded for the person's tokens. */
export const verifierSealer = (secretFor: SecretFor): Sealer => sealerFor(secretFor, 'verifiers of single sign-on');

/** Keeps what the browser's return is checked against. */
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

/** Takes an attempt out: a second return finds nothing. @throws ApiProblem 400 sso_attempt_invalid */
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
    // Begun under a SECRET_KEY that counts no more.
    if (error instanceof Unreadable) throw attemptInvalid();
    throw error;
  }
}
