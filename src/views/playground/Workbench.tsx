import { Box, Flex, Heading, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { preferencesOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { Panel } from '../ui/Panel.tsx';
import { useSidePanel } from './state.ts';

type Props = {
  /** Stands above the panel. */
  title: string;
  /** What can be folded away. */
  panel: ReactNode;
  /** What always stays: the buttons that do things. */
  bar: ReactNode;
  children: ReactNode;
};

const PANEL_WIDTH = '340px';

/** Side panel and output: side by side in a wide window, else one above the other (ASY-08). */
export function Workbench({ title, panel, bar, children }: Props) {
  const sidePanel = useSidePanel();
  const preferences = preferencesOf(useRoot());
  const isNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('narrow'));
  const isFoldedNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('folded'));
  const isFoldedWide = useSelector(preferences, ({ context }) => context.panelCollapsed);
  const isFolded = isNarrow ? isFoldedNarrow : isFoldedWide;
  const toggle = () => (isNarrow ? sidePanel : preferences).send({ type: 'panel.toggled' });
  const isBeside = !isNarrow && !isFolded;
  return (
    <Box
      display="grid"
      gap={{ base: '4', md: '6' }}
      gridTemplateColumns={isBeside ? `${PANEL_WIDTH} minmax(0, 1fr)` : 'minmax(0, 1fr)'}
      alignItems="start"
    >
      <Panel
        as="aside"
        aria-label={title}
        p="0"
        display="flex"
        flexDirection="column"
        minWidth="0"
        {...(isBeside ? { position: 'sticky', top: '6', height: 'max(480px, calc(100dvh - 256px))' } : {})}
      >
        <Flex
          align="center"
          justify="space-between"
          ps="4"
          pe="2"
          py="2"
          {...(isFolded ? {} : { borderBottomWidth: '1px' })}
        >
          <Heading as="h2" fontSize="sm">
            {title}
          </Heading>
          <FoldButton isFolded={isFolded} onClick={toggle} />
        </Flex>
        <Box
          as="section"
          aria-label={`${title} settings`}
          id={PANEL_ID}
          hidden={isFolded}
          flex="1"
          minHeight="0"
          {...(isBeside ? SCROLLING : {})}
        >
          {panel}
        </Box>
        <Box
          px="4"
          pb="4"
          pt={isFolded ? '1' : '4'}
          width="full"
          maxWidth={isBeside ? 'none' : '480px'}
          {...(isFolded ? {} : { borderTopWidth: '1px' })}
        >
          {bar}
        </Box>
      </Panel>
      <Box minWidth="0">{children}</Box>
    </Box>
  );
}

const PANEL_ID = 'playground-panel';
// Reachable by keyboard also while everything in it is disabled.
const SCROLLING = { 'data-scrolls': '', overflowY: 'auto', tabIndex: 0, focusRing: 'inside' } as const;

function FoldButton({ isFolded, onClick }: { isFolded: boolean; onClick: () => void }) {
  return (
    <chakra.button
      type="button"
      aria-expanded={!isFolded}
      aria-controls={PANEL_ID}
      onClick={onClick}
      display="inline-flex"
      alignItems="center"
      gap="1.5"
      px="2"
      py="1"
      borderRadius="l1"
      fontSize="xs"
      fontWeight="medium"
      color="fg.muted"
      cursor="pointer"
      focusRing="outside"
      _hover={{ bg: 'bg.muted', color: 'fg' }}
    >
      {isFolded ? <PanelLeftOpen size={15} aria-hidden /> : <PanelLeftClose size={15} aria-hidden />}
      {isFolded ? 'Show panel' : 'Hide panel'}
    </chakra.button>
  );
}
