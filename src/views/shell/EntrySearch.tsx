import { Box, Input, Text, VisuallyHidden } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId, useMemo } from 'react';
import type { SwitcherEntry } from '#machines/root/switcher/machine.ts';
import { foundIn } from '#machines/root/switcher/select.ts';
import { comboKeys } from '../../behaviours/comboKeys.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useSwitcher } from '../ui/state.ts';
import { EntryName } from './EntryLinks.tsx';
import { navRow } from './navRow.ts';

type Props = {
  /** The list's accessible name: "Projects". */
  label: string;
  entries: readonly SwitcherEntry[];
  current: string | undefined;
};

/** The entries of a switcher with many, with a search field. Arrow keys mark an entry, Enter opens it. */
export function EntrySearch({ label, entries, current }: Props) {
  const chart = useSwitcher();
  const listId = useId();
  const query = useSelector(chart, ({ context }) => context.query);
  const marked = useSelector(chart, ({ context }) => context.active);
  const found = foundIn(entries, query);
  const active = Math.min(marked, found.length - 1);
  const keys = useMemo(
    () =>
      comboKeys({
        step: (by, count) => chart.send({ type: 'row.stepped', by, count }),
        choose: () => {
          const { query: typed } = chart.getSnapshot().context;
          chart.send({ type: 'entry.chosen', found: foundIn(entries, typed) });
        },
      }),
    [chart, entries],
  );
  return (
    <Box ref={keys} display="flex" flexDirection="column" flex="1" minH="0">
      <Input
        role="combobox"
        aria-label="Search"
        placeholder="Search"
        aria-expanded={found.length > 0}
        aria-autocomplete="list"
        aria-controls={listId}
        {...(found.length > 0 ? { 'aria-activedescendant': `${listId}-${active}` } : {})}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        size="sm"
        flexShrink="0"
        mb="1.5"
        value={query}
        onChange={({ target }) => chart.send({ type: 'search.changed', query: target.value })}
      />
      {found.length > 0 ? (
        <Box id={listId} role="listbox" aria-label={label} minH="0" overflowY="auto">
          {found.map((entry, index) => (
            <ScreenLink
              key={entry.uuid}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              to={entry.to}
              onPointerMove={() => (index === active ? undefined : chart.send({ type: 'row.pointed', index }))}
              onClick={() => chart.send({ type: 'switcher.dismissed' })}
              {...navRow}
              color="fg"
              _currentPage={{}}
              _hover={{}}
              _selected={{ bg: 'brand.subtle', color: 'brand.fg' }}
            >
              <EntryName entry={entry} isCurrent={entry.uuid === current} />
            </ScreenLink>
          ))}
        </Box>
      ) : (
        <Text id={listId} px="3" py="2" fontSize="sm" color="fg.muted">
          Nothing found
        </Text>
      )}
      <VisuallyHidden role="status">
        {query.trim() === '' ? '' : found.length === 1 ? '1 result' : `${found.length} results`}
      </VisuallyHidden>
    </Box>
  );
}
