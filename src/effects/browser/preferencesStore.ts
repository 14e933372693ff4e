import { fromCallback } from 'xstate';
import * as v from 'valibot';
import type { Preferences, PreferencesLoaded, PreferencesSaved } from '#machines/root/preferences/actors.ts';
import { onStorageChange, readJson, type TextStorage } from './webStorage.ts';

/** The stored preferences. An invalid field is dropped alone. */
const StoredPreferences = v.object({
  theme: v.fallback(v.optional(v.picklist(['system', 'light', 'dark'])), undefined),
  zone: v.fallback(v.optional(v.picklist(['utc', 'local'])), undefined),
  navGroups: v.fallback(v.optional(v.record(v.string(), v.boolean())), undefined),
  panelCollapsed: v.fallback(v.optional(v.boolean()), undefined),
});

function accept(value: unknown): Partial<Preferences> | undefined {
  const parsed = v.safeParse(StoredPreferences, value);
  if (!parsed.success) return undefined;
  const { theme, zone, navGroups, panelCollapsed } = parsed.output;
  return {
    ...(theme === undefined ? {} : { theme }),
    ...(zone === undefined ? {} : { zone }),
    ...(navGroups === undefined ? {} : { navGroups }),
    ...(panelCollapsed === undefined ? {} : { panelCollapsed }),
  };
}

/** Stores the preferences under `{product}_preferences`, and reports changes by other tabs. */
export const createPreferencesStore = (
  storage: TextStorage,
  product: string,
  page: Pick<Window, 'addEventListener' | 'removeEventListener'> = window,
) =>
  fromCallback<PreferencesSaved, void>(({ sendBack, receive }) => {
    const key = `${product}_preferences`;
    const load = () => {
      const preferences = readJson(storage, key, accept);
      if (!preferences) return;
      const event: PreferencesLoaded = { type: 'preferences.loaded', preferences };
      sendBack(event);
    };
    receive(({ preferences }) => storage.write(key, JSON.stringify(preferences)));
    load();
    return onStorageChange(page, key, load);
  });
