import type { ShownSecret, SigningSecret } from '#contract/webhooks.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

export type OfProject = { projectUuid: string };

/** GET …/webhooks/secret/ */
export const loadSecret = promisePlaceholder<SigningSecret, OfProject>('loadSecret');
/** The one that there is, which is shown once, or a new one in its place. */
export type Wanted = 'show' | 'roll';
/** POST …/webhooks/secret/show/ or …/webhooks/secret/roll/ */
export const askSecret = promisePlaceholder<ShownSecret, OfProject & { wanted: Wanted }>('askSecret');
