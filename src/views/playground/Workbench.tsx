import { Box, Flex, Heading, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { preferencesOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { TOP_BAR_HEIGHT } from '../shell/measures.ts';
import { PartBoundary, PartFailed } from '../ui/PartBoundary.tsx';
import { usePlayground, useSidePanel } from './state.ts';

type Props = {
  /** The title above the panel. */
  title: string;
  /** The file to work on. Comes before the panel in reading and Tab order. */
  source?: ReactNode;
  /** The collapsible part: the settings. */
  panel: ReactNode;
  /** The part that is always visible: the action buttons. */
  bar: ReactNode;
  children: ReactNode;
};

/** Source, side panel with buttons, and output: side by side in wide windows, else stacked so (ASY-08, UXP-66). */
export function Workbench({ title, source, panel, bar, children }: Props) {
  const sidePanel = useSidePanel();
  const preferences = preferencesOf(useRoot());
  const isNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('narrow'));
  const isFoldedNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('folded'));
  const isFoldedWide = useSelector(preferences, ({ context }) => context.panelCollapsed);
  const isFolded = isNarrow ? isFoldedNarrow : isFoldedWide;
  const toggle = () => (isNarrow ? sidePanel : preferences).send({ type: 'panel.toggled' });
  const isBeside = !isNarrow && !isFolded;
  const look = isBeside ? BESIDE : STACKED;
  return (
    <Box {...look.bench}>
      {source ? (
        <Box minWidth="0" {...look.source}>
          <Part>{source}</Part>
        </Box>
      ) : null}
      <Box as="aside" aria-label={title} {...look.side}>
        <Box {...look.panel}>
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
            <Part>{panel}</Part>
          </Box>
        </Box>
        <Box px="4" py="3" bg="bg.panel" borderBottomRadius="l3" {...look.bar}>
          <Part>{bar}</Part>
        </Box>
      </Box>
      <Box minWidth="0" {...look.output}>
        <Part>{children}</Part>
      </Box>
    </Box>
  );
}

/** A part that fails alone. A failure stops a live session; none can start until all failed parts are open again. */
function Part({ children }: { children: ReactNode }) {
  const playground = usePlayground();
  const openings = useSelector(playground, ({ context }) => context.openings);
  return (
    <PartBoundary
      getResetKey={() => openings}
      errorComponent={Failed}
      onCatch={() => playground.send({ type: 'part.failed' })}
    >
      {children}
    </PartBoundary>
  );
}

function Failed() {
  const playground = usePlayground();
  return <PartFailed reset={() => playground.send({ type: 'view.open.requested' })} />;
}

/** The panel at the side, as high as the window, with the buttons at its bottom. */
const BESIDE = {
  bench: {
    display: 'grid',
    columnGap: '6',
    gridTemplateColumns: '340px minmax(0, 1fr)',
    gridTemplateRows: 'auto 1fr',
    alignItems: 'start',
  },
  source: { gridArea: '1 / 2', mb: '4' },
  side: {
    gridArea: '1 / 1 / -1',
    position: 'sticky',
    top: `calc(${TOP_BAR_HEIGHT} + 1.5rem)`,
    display: 'flex',
    flexDirection: 'column',
    height: 'max(480px, calc(100dvh - 256px))',
    bg: 'bg.panel',
    borderWidth: '1px',
    borderRadius: 'l3',
  },
  panel: { display: 'contents' },
  bar: { borderTopWidth: '1px' },
  output: { gridColumn: '2' },
} as const;

/** All parts stacked. In windows that are high enough, the buttons stick to the bottom until scrolled past. */
const STACKED = {
  bench: { display: 'flex', flexDirection: 'column' },
  source: { mb: '4' },
  side: { display: 'contents' },
  panel: { bg: 'bg.panel', borderWidth: '1px', borderBottomWidth: '0', borderTopRadius: 'l3' },
  bar: {
    'data-pinned': '',
    mb: '4',
    borderWidth: '1px',
    css: { '@media (min-height: 560px)': { position: 'sticky', bottom: '0', zIndex: 1 } },
  },
  output: {},
} as const;

const PANEL_ID = 'playground-panel';
// `tabIndex` lets keys scroll it even if all fields are disabled; `position` keeps hidden text from growing the page.
const SCROLLING = {
  'data-scrolls': '',
  position: 'relative',
  overflowY: 'auto',
  tabIndex: 0,
  focusRing: 'inside',
} as const;

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
      <span>{isFolded ? 'Show panel' : 'Hide panel'}</span>
    </chakra.button>
  );
}
