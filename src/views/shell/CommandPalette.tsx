import { Box, Dialog, Flex, Input, Portal, Text, VisuallyHidden } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useMemo } from 'react';
import type { LookupActor } from '#machines/workspace/palette/lookup.ts';
import type { PaletteActor } from '#machines/workspace/palette/machine.ts';
import { comboKeys } from '../../behaviours/comboKeys.ts';
import { createFocusReturn } from '../../behaviours/focusReturn.ts';
import {
  type Command,
  commandsOfAsync,
  commandsOfKeys,
  commandsOfLinks,
  commandsOfLive,
  commandsOfLookup,
  commandsOfPage,
  commandsOfPlaceId,
  commandsOfPlayground,
  commandsOfWorkspace,
  isSame,
} from '../../commands.ts';
import { found } from '../../commandSearch.ts';
import { PartBoundary } from '../ui/PartBoundary.tsx';
import { usePreferences, useSession, useSettings, useWorkspace } from '../ui/state.ts';

const LIST_ID = 'commands';
const idOf = (index: number) => `command-${index}`;

/** Finds screens and commands by typing: a combobox of what the charts accept at the moment. */
export function CommandPalette() {
  const palette = useSelector(useWorkspace(), (snapshot) => snapshot.children.palette);
  return palette ? <Palette palette={palette} /> : null;
}

function Palette({ palette }: { palette: PaletteActor }) {
  const isOpen = useSelector(palette, (snapshot) => snapshot.hasTag('paletteOpen'));
  const { remember, target } = useMemo(() => createFocusReturn(), []);
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={({ open }) => (open ? undefined : palette.send({ type: 'palette.dismissed' }))}
      finalFocusEl={target}
      placement="top"
      scrollBehavior="inside"
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px={{ base: '2', md: '4' }}>
          <Dialog.Content
            ref={remember}
            aria-label="Commands"
            maxW="600px"
            mt={{ base: '2', md: '12dvh' }}
            overflow="hidden"
          >
            <PartBoundary>
              <Rows palette={palette} />
            </PartBoundary>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

function Rows({ palette }: { palette: PaletteActor }) {
  const query = useSelector(palette, ({ context }) => context.query);
  const marked = useSelector(palette, ({ context }) => context.active);
  const lookup = useSelector(palette, ({ children }) => children.lookup);
  const byId = useCommandsById(palette, query);
  const rows = [...byId, ...found(useCommands(palette), query)];
  const active = Math.min(marked, rows.length - 1);
  const isEmpty = rows.length === 0;
  const keys = useMemo(
    () =>
      comboKeys({
        step: (by, count) => palette.send({ type: 'row.stepped', by, count }),
        close: () => palette.send({ type: 'palette.dismissed' }),
      }),
    [palette],
  );
  return (
    <Box ref={keys} display="flex" flexDirection="column" minH="0">
      <Input
        role="combobox"
        dir="auto"
        aria-label="Search screens and commands"
        placeholder="Search screens and commands"
        aria-expanded={!isEmpty}
        aria-autocomplete="list"
        aria-controls={LIST_ID}
        {...(isEmpty ? {} : { 'aria-activedescendant': idOf(active) })}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ currentTarget }) => palette.send({ type: 'query.changed', query: currentTarget.value })}
        size="lg"
        m="2"
        mb="0"
        w="auto"
        flexShrink="0"
      />
      {isEmpty ? (
        <Text id={LIST_ID} px="4" py="6" fontSize="sm" color="fg.muted" textAlign="center">
          {lookup ? (
            <LookupState lookup={lookup} />
          ) : (
            <span>
              No results for “<bdi>{query}</bdi>”.
            </span>
          )}
        </Text>
      ) : (
        <Box id={LIST_ID} role="listbox" aria-label="Commands" p="1.5" maxH="min(420px, 60dvh)" overflowY="auto">
          {rows.map((command, index) => (
            <Row
              key={command.id}
              id={idOf(index)}
              command={command}
              isActive={index === active}
              onPoint={() => palette.send({ type: 'row.pointed', index })}
              onChoose={() => choose(palette, command)}
            />
          ))}
        </Box>
      )}
      <VisuallyHidden role="status">
        {isEmpty && lookup ? (
          <LookupState lookup={lookup} />
        ) : query.trim() === '' ? (
          ''
        ) : rows.length === 1 ? (
          '1 result'
        ) : (
          `${rows.length} results`
        )}
      </VisuallyHidden>
    </Box>
  );
}

/** Says that the typed id is looked up, or that nothing has it. */
export function LookupState({ lookup }: { lookup: LookupActor }) {
  const mayOpen = useSelector(lookup, ({ context }) => context.place.mayOpen);
  const isLooking = useSelector(lookup, (snapshot) => snapshot.hasTag('looking'));
  const hasFailed = useSelector(lookup, (snapshot) => snapshot.hasTag('failed'));
  if (isLooking) return <span>Looking for what has this ID…</span>;
  if (hasFailed) return <span>The ID could not be looked up. Try again later.</span>;
  // Without the playground only the logs were asked.
  return (
    <span>{mayOpen ? 'Nothing in this project has this ID.' : "No request in this project's logs has this ID."}</span>
  );
}

/** Closes the palette first: closing it later would also close what the command opens. */
function choose(palette: PaletteActor, command: Command): void {
  palette.send({ type: 'palette.dismissed' });
  command.perform();
}

type RowProps = { id: string; command: Command; isActive: boolean; onPoint: () => void; onChoose: () => void };

function Row({ id, command: { label, about, href }, isActive, onPoint, onChoose }: RowProps) {
  return (
    <Flex
      {...(href === undefined ? {} : { as: 'a', href, target: '_blank', rel: 'noreferrer', tabIndex: -1 })}
      id={id}
      role="option"
      aria-selected={isActive}
      align="baseline"
      gap="3"
      px="3"
      py="2"
      borderRadius="l1"
      fontSize="sm"
      cursor="pointer"
      onMouseMove={isActive ? undefined : onPoint}
      onClick={onChoose}
      _selected={{ bg: 'brand.subtle', color: 'brand.fg' }}
    >
      <Text as="span" dir="auto" flex="1 1 auto" minW="0" overflowWrap="anywhere">
        {label}
      </Text>
      <Text as="span" dir="auto" flexShrink="1" minW="0" maxW="45%" fontSize="xs" color="fg.muted" truncate>
        {about}
      </Text>
    </Flex>
  );
}

/** The commands that open what has the typed id. */
function useCommandsById(palette: PaletteActor, query: string): readonly Command[] {
  const workspace = useWorkspace();
  const lookup = useSelector(palette, ({ children }) => children.lookup);
  return [
    ...useSelector(lookup, () => (lookup ? commandsOfLookup(workspace, lookup) : []), isSame),
    ...useSelector(workspace, () => commandsOfPlaceId(workspace, query), isSame),
  ];
}

/** The commands that the running charts accept; those of the screen come first. */
function useCommands(palette: PaletteActor): readonly Command[] {
  const workspace = useWorkspace();
  const preferences = usePreferences();
  const session = useSession();
  const keys = useSelector(workspace, (snapshot) => snapshot.children.apiKeys);
  const playground = useSelector(workspace, (snapshot) => snapshot.children.playground);
  const asyncSide = useSelector(playground, (snapshot) => snapshot?.children.async);
  const live = useSelector(playground, (snapshot) =>
    snapshot?.hasTag('realTime') && snapshot.context.isLiveSupported ? snapshot.children.live : undefined,
  );
  return [
    ...useSelector(live, () => (live ? commandsOfLive(live) : []), isSame),
    ...useSelector(asyncSide, () => (asyncSide ? commandsOfAsync(asyncSide) : []), isSame),
    ...useSelector(playground, () => (playground ? commandsOfPlayground(playground) : []), isSame),
    ...useSelector(keys, () => (keys ? commandsOfKeys(keys) : []), isSame),
    ...useSelector(workspace, () => commandsOfWorkspace(workspace), isSame),
    ...useSelector(preferences, () => commandsOfPage(preferences, session, workspace), isSame),
    ...commandsOfLinks(useSettings().links),
    {
      id: 'shortcuts',
      label: 'Show the keyboard shortcuts',
      about: '',
      perform: () => palette.send({ type: 'shortcuts.requested' }),
    },
  ];
}
