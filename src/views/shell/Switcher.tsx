import { Box, Popover, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChevronsUpDown, Plus } from 'lucide-react';
import type { Switcher as SwitcherName, SwitcherEntry } from '#machines/root/switcher/machine.ts';
import { arrowKeys } from '../../behaviours/arrowKeys.ts';
import { focusedHeading } from '../../behaviours/rowFocus.ts';
import { useSwitcher } from '../ui/state.ts';
import { navRow } from './navRow.ts';
import { EntryLinks } from './EntryLinks.tsx';
import { EntrySearch } from './EntrySearch.tsx';

/** Lists with more entries get a search field. */
const SEARCH_FROM = 7;
const HEIGHT = 'min(420px, var(--available-height))';

type Props = {
  switcher: Exclude<SwitcherName, 'account'>;
  /** The list's accessible name: "Organizations". */
  label: string;
  entries: readonly SwitcherEntry[];
  /** UUID of the current entry. */
  current: string | undefined;
  /** The button's text while nothing is chosen. */
  placeholder: string;
  /** The tooltip of the button. */
  title?: string | undefined;
  /** The button that creates a new one; undefined for people who may not. */
  create?: { label: string; ask: () => void };
};

/** A button with the current entry. Opens the list of entries, with a search field if there are many. */
export function Switcher({ switcher, label, entries, current, placeholder, title, create }: Props) {
  const chart = useSwitcher();
  const open = useSelector(chart, (snapshot) =>
    snapshot.hasTag(switcher === 'organization' ? 'organizationOpen' : 'projectOpen'),
  );
  const hasSearch = entries.length > SEARCH_FROM;
  const at = entries.findIndex(({ uuid }) => uuid === current);
  const name = entries[at]?.name ?? placeholder;
  const dismiss = () => chart.send({ type: 'switcher.dismissed', switcher });
  return (
    <Popover.Root
      open={open}
      onOpenChange={(details) => (details.open ? chart.send({ type: 'switcher.requested', switcher, at }) : dismiss())}
      // A list that closes gives its button the focus, a frame later: maybe after the new page's heading has it.
      finalFocusEl={() => focusedHeading()}
      positioning={{ strategy: 'fixed', placement: 'bottom-start', sameWidth: true, gutter: 4 }}
      lazyMount
      unmountOnExit
    >
      <Popover.Trigger asChild>
        <button type="button" className="switcher" title={title} aria-label={`${label}: ${name}`}>
          <span>
            <bdi>{name}</bdi>
          </span>
          <ChevronsUpDown size={16} aria-hidden />
        </button>
      </Popover.Trigger>
      <Popover.Positioner>
        {/* The list scrolls, the create button stays visible. A search changes no height. */}
        <Popover.Content
          aria-label={label}
          width="full"
          {...(hasSearch ? { h: HEIGHT } : { maxH: HEIGHT })}
          borderRadius="l2"
          borderWidth="1px"
          boxShadow="lg"
        >
          <Box ref={arrowKeys} display="flex" flexDirection="column" flex="1" minH="0" p="1.5">
            {hasSearch ? (
              <EntrySearch label={label} entries={entries} current={current} />
            ) : (
              <EntryLinks entries={entries} current={current} onChoose={dismiss} />
            )}
            {create ? (
              <Box flexShrink="0" mt="1.5" pt="1.5" borderTopWidth="1px">
                <chakra.button
                  type="button"
                  data-option
                  onClick={() => {
                    dismiss();
                    create.ask();
                  }}
                  {...navRow}
                >
                  <Plus size={16} aria-hidden />
                  <span>{create.label}</span>
                </chakra.button>
              </Box>
            ) : null}
          </Box>
        </Popover.Content>
      </Popover.Positioner>
    </Popover.Root>
  );
}
