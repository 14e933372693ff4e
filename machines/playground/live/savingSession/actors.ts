import type { EventObject } from 'xstate';
import type { LiveSessionToKeep, Transcription } from '#contract/transcriptions.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../../shared/placeholder.ts';

/** POST /v1/transcriptions/live: saves the session as a transcription. */
export const saveSession = promisePlaceholder<Transcription, { session: LiveSessionToKeep }>('saveSession');

/** Sent by `savingChoice` when it starts, and when another tab changes the choice. */
export type ChoiceRead = { type: 'choice.read'; isAlways: boolean };
/** To `savingChoice`. */
export type ChoiceMade = EventObject & { type: 'choice.made'; isAlways: boolean };

/** Remembers on this device whether to save every session. */
export const savingChoice = callbackPlaceholder<ChoiceMade>('savingChoice');
