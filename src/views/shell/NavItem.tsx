import type { ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { PlainLink } from '../ui/PlainLink.tsx';
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
      <PlainLink to={to} isBranch={isBranch} onClick={() => preferences.send({ type: 'drawer.close.requested' })}>
        {icon}
        {children}
      </PlainLink>
    </li>
  );
}
