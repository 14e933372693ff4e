import type { Model } from '#contract/models.ts';
import { modelById } from '../settings/models.ts';
import type { LiveSnapshot } from './machine.ts';

/** Label of the Run/Stop button (LIV-11). Only a file has Rerun. */
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

/** Whether a one-way target language is set, so that the transcript will have translations. */
export function aimsAtLanguage({ context: { settings } }: LiveSnapshot): boolean {
  return settings.translationType === 'one_way' && settings.translationOneWay.targetLanguage !== null;
}

/** Whether to show the intro card: stopped, without transcript or error (LIV-19). */
export function showsIntro(snapshot: LiveSnapshot): boolean {
  return snapshot.hasTag('stopped') && snapshot.hasTag('empty') && snapshot.context.error === null;
}
