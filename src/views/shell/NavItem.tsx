import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { addressOf } from '../../locations.ts';
import { usePreferences } from '../ui/state.ts';

type Props = {
  to: Route;
  icon?: ReactNode;
  /** Whether it is current on the screens below its own, too. */
  isBranch?: boolean;
  children: string;
};

/** A link to a screen, in the list of {@link NavEntries}, which styles it. */
export function NavItem({ to, icon, isBranch = false, children }: Props) {
  const preferences = usePreferences();
  return (
    <li>
      <Link
        {...addressOf(to)}
        activeOptions={{ exact: !isBranch, includeSearch: false }}
        onClick={() => preferences.send({ type: 'drawer.close.requested' })}
      >
        {icon}
        {children}
      </Link>
    </li>
  );
}
