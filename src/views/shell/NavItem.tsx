import { Box } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { usePreferences } from '../ui/state.ts';
import { navRow } from './navRow.ts';

type Props = {
  to: Route;
  icon?: ReactNode;
  /** Whether it is current on the screens below its address, too. */
  isBranch?: boolean;
  children: string;
};

/** A screen in the sidebar. */
export function NavItem({ to, icon, isBranch = false, children }: Props) {
  const preferences = usePreferences();
  return (
    <Box as="li">
      <ScreenLink
        to={to}
        isBranch={isBranch}
        onClick={() => preferences.send({ type: 'drawer.close.requested' })}
        {...navRow}
        pl={icon ? '3' : '10'}
      >
        {icon ? (
          <Box as="span" aria-hidden>
            {icon}
          </Box>
        ) : null}
        {children}
      </ScreenLink>
    </Box>
  );
}
