import type { EventObject } from 'xstate';
import type { LiveSessionToKeep, Transcription } from '#contract/transcriptions.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../../shared/placeholder.ts';

/** POST /v1/transcriptions/live: the transcription that the session has become. */
export const saveSession = promisePlaceholder<Transcription, { session: LiveSessionToKeep }>('saveSession');

/** What `savingChoice` sends back: at once, and when another tab chose. */
export type ChoiceRead = { type: 'choice.read'; isAlways: boolean };
/** What `savingChoice` is told. */
export type ChoiceMade = EventObject & { type: 'choice.made'; isAlways: boolean };

/** Remembers on this device whether every session is to be kept. */
export const savingChoice = callbackPlaceholder<ChoiceMade>('savingChoice');
