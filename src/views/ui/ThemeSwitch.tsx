import { useSelector } from '@xstate/react';
import { Monitor, Moon, Sun } from 'lucide-react';
import type { Theme } from '#machines/root/preferences/actors.ts';
import { usePreferences } from './state.ts';

/** The themes and their labels. */
export const THEMES: readonly { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
];

/** Chooses system, light or dark. @param labelled whether to show labels next to the icons */
export function ThemeSwitch({ labelled = false }: { labelled?: boolean }) {
  const preferences = usePreferences();
  const chosen = useSelector(preferences, (snapshot) => snapshot.context.theme);
  return (
    <div className="theme-switch" role="radiogroup" aria-label="Theme" data-labelled={labelled || undefined}>
      {THEMES.map(({ theme, label, icon: Icon }) => (
        <label key={theme} title={label}>
          <input
            type="radio"
            // The account page has a second switch, which needs its own radio group.
            name={labelled ? 'theme-labelled' : 'theme'}
            aria-label={label}
            checked={theme === chosen}
            onChange={() => preferences.send({ type: 'theme.chosen', theme })}
          />
          <Icon size={15} aria-hidden />
          {labelled ? <span>{label}</span> : null}
        </label>
      ))}
    </div>
  );
}
