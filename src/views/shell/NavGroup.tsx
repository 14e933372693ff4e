import { useSelector } from '@xstate/react';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePreferences } from '../ui/state.ts';

type Props = {
  /** The key under which the preferences store whether the group is open (SHL-08). */
  link: string;
  label: string;
  icon: ReactNode;
  /** Whether the group is open until somebody opens or closes it. */
  startsOpen: boolean;
  children: ReactNode;
};

/** A row that shows and hides the rows below it, in the list of {@link NavEntries}, which styles it. */
export function NavGroup({ link, label, icon, startsOpen, children }: Props) {
  const preferences = usePreferences();
  const open = useSelector(preferences, (snapshot) => snapshot.context.navGroups[link] ?? startsOpen);
  const id = `group-${link}`;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => preferences.send({ type: 'navGroup.toggled', link, open: !open })}
      >
        {icon}
        <span>{label}</span>
        <ChevronDown size={16} aria-hidden />
      </button>
      <ul id={id} hidden={!open}>
        {children}
      </ul>
    </li>
  );
}
