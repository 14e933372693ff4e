import { useSelector } from '@xstate/react';
import { useId } from 'react';
import type { Zone } from '#machines/root/preferences/actors.ts';
import { usePreferences } from './state.ts';

const ZONES: readonly { zone: Zone; label: string }[] = [
  { zone: 'utc', label: 'UTC' },
  { zone: 'local', label: 'Local' },
];

/** Chooses the zone of all times but those of billing. */
export function ZoneSwitch() {
  const preferences = usePreferences();
  const chosen = useSelector(preferences, ({ context }) => context.zone);
  const name = useId();
  return (
    <div className="theme-switch" role="radiogroup" aria-label="Time zone" data-labelled>
      {ZONES.map(({ zone, label }) => (
        <label key={zone} title={zone === 'local' ? "This device's time zone" : undefined}>
          <input
            type="radio"
            name={name}
            checked={zone === chosen}
            onChange={() => preferences.send({ type: 'zone.chosen', zone })}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}
