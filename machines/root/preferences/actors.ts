import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type Theme = 'system' | 'light' | 'dark';
/** The zone of all times but those of billing, which are UTC. */
export type Zone = 'utc' | 'local';
/** Preferences kept on this device. */
export type Preferences = {
  theme: Theme;
  zone: Zone;
  /** Open (true) or closed navigation groups, by link (SHL-08). */
  navGroups: Record<string, boolean>;
  /** Whether the playground's side panel is folded away. */
  panelCollapsed: boolean;
};

/** To the store. */
export type PreferencesSaved = { type: 'preferences.saved'; preferences: Preferences };
/** From the store, when it starts and when another tab writes; what is missing stays unchanged. */
export type PreferencesLoaded = { type: 'preferences.loaded'; preferences: Partial<Preferences> };
/** Keeps the preferences; sends {@link PreferencesLoaded} to its parent. */
export const preferencesStore = callbackPlaceholder<PreferencesSaved>('preferencesStore');
