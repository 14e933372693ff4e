import { Box, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePreferences } from '../ui/state.ts';
import { navRow } from './navRow.ts';

type Props = {
  /** The key under which the preferences store whether the group is open (SHL-08). */
  link: string;
  label: string;
  icon: ReactNode;
  /** Whether the group is open until somebody opens or closes it. */
  startsOpen: boolean;
  children: ReactNode;
};

/** A row that shows and hides the rows below it. */
export function NavGroup({ link, label, icon, startsOpen, children }: Props) {
  const preferences = usePreferences();
  const open = useSelector(preferences, (snapshot) => snapshot.context.navGroups[link] ?? startsOpen);
  const id = `group-${link}`;
  return (
    <Box as="li">
      <chakra.button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => preferences.send({ type: 'navGroup.toggled', link, open: !open })}
        {...navRow}
      >
        <Box as="span" aria-hidden>
          {icon}
        </Box>
        <Box as="span" flex="1">
          {label}
        </Box>
        <Box as="span" aria-hidden transition="transform 150ms" transform={open ? 'none' : 'rotate(-90deg)'}>
          <ChevronDown size={16} />
        </Box>
      </chakra.button>
      <Box as="ul" id={id} hidden={!open} listStyleType="none" mt="0.5">
        {children}
      </Box>
    </Box>
  );
}
