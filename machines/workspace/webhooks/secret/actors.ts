import type { ShownSecret, SigningSecret } from '#contract/webhooks.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

export type OfProject = { projectUuid: string };

/** GET …/webhooks/secret/ */
export const loadSecret = promisePlaceholder<SigningSecret, OfProject>('loadSecret');
/** Show the present secret, which works once, or replace it. */
export type SecretAction = 'show' | 'roll';
/** POST …/webhooks/secret/show/ or …/webhooks/secret/roll/ */
export const requestSecret = promisePlaceholder<ShownSecret, OfProject & { wanted: SecretAction }>('requestSecret');
