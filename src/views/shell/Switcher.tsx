import { Box, Input, Popover, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import type { Switcher as SwitcherName } from '#machines/switcher/machine.ts';
import type { Route } from '#machines/route.ts';
import { arrowKeys } from '../../behaviours/arrowKeys.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useSwitcher } from '../ui/state.ts';
import { navRow } from './navRow.ts';

/** More entries than these get a search field. */
const SEARCH_FROM = 7;

export type SwitcherEntry = { uuid: string; name: string; to: Route };

type Props = {
  switcher: SwitcherName;
  /** What the list holds: "Organizations". */
  label: string;
  entries: readonly SwitcherEntry[];
  current: SwitcherEntry | undefined;
  /** What stands on the button while nothing is chosen. */
  placeholder: string;
  /** The tooltip of the button. */
  title?: string | undefined;
  /** The entry for a new one; left out for those who may not. */
  create?: { label: string; ask: () => void };
};

/** A button with the current entry that opens the list of all, with a search field once there are many, and an entry for a new one at the end. */
export function Switcher({ switcher, label, entries, current, placeholder, title, create }: Props) {
  const chart = useSwitcher();
  const open = useSelector(chart, (snapshot) => snapshot.hasTag(switcher === 'organization' ? 'organizationOpen' : 'projectOpen'));
  const typed = useSelector(chart, (snapshot) => snapshot.context.query);
  const query = typed.trim().toLowerCase();
  const dismiss = () => chart.send({ type: 'switcher.dismissed' });
  const found = query ? entries.filter(({ name, uuid }) => name.toLowerCase().includes(query) || uuid.startsWith(query)) : entries;
  return (
    <Popover.Root
      open={open}
      onOpenChange={(details) => (details.open ? chart.send({ type: 'switcher.requested', switcher }) : dismiss())}
      positioning={{ strategy: 'fixed', placement: 'bottom-start', sameWidth: true, gutter: 4 }}
      lazyMount
      unmountOnExit
    >
      <Popover.Trigger asChild>
        <chakra.button type="button" title={title} aria-label={`${label}: ${current?.name ?? placeholder}`} {...navRow} minH="40px" borderWidth="1px" bg="bg.panel" color="fg">
          <Box as="span" flex="1" truncate>
            {current?.name ?? placeholder}
          </Box>
          <Box as="span" color="fg.muted" flexShrink="0" aria-hidden>
            <ChevronsUpDown size={16} />
          </Box>
        </chakra.button>
      </Popover.Trigger>
      <Popover.Positioner>
        <Popover.Content aria-label={label} width="full" borderRadius="l2" borderWidth="1px" boxShadow="lg">
          <Box ref={arrowKeys} p="1.5">
            {entries.length > SEARCH_FROM ? (
              <Input size="sm" mb="1.5" type="search" aria-label="Search" placeholder="Search" value={typed} onChange={({ target }) => chart.send({ type: 'search.changed', query: target.value })} />
            ) : null}
            <Box as="ul" listStyleType="none" maxH="min(320px, 50dvh)" overflowY="auto">
              {found.map((entry) => (
                <li key={entry.uuid}>
                  <ScreenLink data-option to={entry.to} aria-current={entry.uuid === current?.uuid} onClick={dismiss} {...navRow} color="fg" _currentPage={{}}>
                    <Box as="span" flex="1" minW="0" py="2" lineHeight="1.35" overflowWrap="anywhere">
                      {entry.name}
                    </Box>
                    {entry.uuid === current?.uuid ? <Check size={16} aria-hidden /> : null}
                  </ScreenLink>
                </li>
              ))}
              {found.length === 0 ? (
                <Text as="li" px="3" py="2" fontSize="sm" color="fg.muted">
                  Nothing found
                </Text>
              ) : null}
            </Box>
            {create ? (
              <Box mt="1.5" pt="1.5" borderTopWidth="1px">
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
                  {create.label}
                </chakra.button>
              </Box>
            ) : null}
          </Box>
        </Popover.Content>
      </Popover.Positioner>
    </Popover.Root>
  );
}
