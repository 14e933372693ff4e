import { Box } from '@chakra-ui/react';
import { Check } from 'lucide-react';
import type { SwitcherEntry } from '#machines/root/switcher/machine.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { navRow } from './navRow.ts';

type Props = { entries: readonly SwitcherEntry[]; current: string | undefined; onChoose: () => void };

/** The entries of a switcher with few entries, as links. */
export function EntryLinks({ entries, current, onChoose }: Props) {
  return (
    <Box as="ul" listStyleType="none" minH="0" overflowY="auto">
      {entries.map((entry) => (
        <li key={entry.uuid}>
          <ScreenLink
            data-option
            to={entry.to}
            aria-current={entry.uuid === current}
            onClick={onChoose}
            {...navRow}
            color="fg"
            _currentPage={{}}
          >
            <EntryName entry={entry} isCurrent={entry.uuid === current} />
          </ScreenLink>
        </li>
      ))}
    </Box>
  );
}

/** The whole name of an entry, on several lines if needed, with a check mark for the current one. */
export function EntryName({ entry, isCurrent }: { entry: SwitcherEntry; isCurrent: boolean }) {
  return (
    <>
      <Box as="span" dir="auto" flex="1" minW="0" py="2" lineHeight="1.35" overflowWrap="anywhere">
        {entry.name}
      </Box>
      {isCurrent ? <Check size={16} aria-hidden /> : null}
    </>
  );
}
