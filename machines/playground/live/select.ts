import type { Model } from '#contract/models.ts';
import { modelById } from '../settings/models.ts';
import type { LiveSnapshot } from './machine.ts';

/** What the Run/Stop button reads (LIV-11); the microphone has no Rerun. */
export function runLabel(snapshot: LiveSnapshot): string {
  if (snapshot.hasTag('starting')) return 'Run...';
  if (snapshot.hasTag('stopping')) return 'Stop...';
  if (snapshot.hasTag('running')) return 'Stop';
  return snapshot.context.source === 'file' && snapshot.hasTag('atEnd') ? 'Rerun' : 'Run';
}

/** The model that the settings apply to. */
export function liveModel({ context }: LiveSnapshot): Model | null {
  return modelById(context.models, context.modelId);
}

/** Whether a target language is set, so that there will be two sides to show. */
export function aimsAtLanguage({ context: { settings } }: LiveSnapshot): boolean {
  return settings.translationType === 'one_way' && settings.translationOneWay.targetLanguage !== null;
}

/** Whether the intro card shows: stopped, and nothing there (LIV-19). */
export function showsIntro(snapshot: LiveSnapshot): boolean {
  return snapshot.hasTag('stopped') && snapshot.hasTag('empty') && snapshot.context.error === null;
}
