/** Styles of the playground's plain elements by their class, see `scripts/global-styles.ts`. */
import { defineGlobalStyles } from '@chakra-ui/react';
import { TOP_BAR_HEIGHT } from '../../theme/measures.ts';
import { card, column, heading, row, small } from '../ui/styles.ts';

/** Source, panel and output side by side, or stacked. */
const bench = defineGlobalStyles({
  '.bench': {
    ...column,
    '& > .bench-source, & > .bench-output': { minWidth: '0' },
    '&[data-beside]': {
      display: 'grid',
      columnGap: '6',
      gridTemplateColumns: '21.25rem minmax(0, 1fr)',
      gridTemplateRows: 'auto 1fr',
      alignItems: 'start',
    },
    '&[data-beside] > .bench-source': { gridArea: '1 / 2' },
    '&[data-beside] > .bench-output': { gridColumn: '2' },
    // The panel at the side, as high as the window, with the buttons at its bottom.
    '&[data-beside] > .bench-side': {
      ...column,
      gridArea: '1 / 1 / -1',
      position: 'sticky',
      top: `calc(${TOP_BAR_HEIGHT} + 1.5rem)`,
      height: 'max(30rem, calc(100dvh - 16rem))',
      ...card,
      // Where messages leave the settings no room, all of it scrolls.
      overflowY: 'auto',
    },
  },
  '.bench-source': { mb: '4' },
  '.bench-side': { display: 'contents' },
  '.bench-panel': {
    bg: 'bg.panel',
    borderWidth: '1px',
    borderBottomWidth: '0',
    borderTopRadius: 'l3',
    '[data-beside] > .bench-side > &': { display: 'contents' },
  },
  '.bench-head': {
    ...row,
    justifyContent: 'space-between',
    ps: '4',
    pe: '2',
    py: '2',
    '&:has(> [aria-expanded=true])': { borderBottomWidth: '1px' },
    '& > h2': { ...heading, fontSize: 'sm' },
    '& > button': {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '1.5',
      px: '2',
      py: '1',
      borderRadius: 'l1',
      fontSize: 'xs',
      fontWeight: 'medium',
      color: 'fg.muted',
      cursor: 'pointer',
      focusRing: 'outside',
      _hover: { bg: 'bg.muted', color: 'fg' },
    },
  },
  '.bench-settings': {
    flex: '1',
    minHeight: '0',
    '[data-beside] > .bench-side > .bench-panel > &': { minHeight: '8rem' },
    // `position` keeps hidden text from growing the page.
    '&[data-scrolls]': { position: 'relative', overflowY: 'auto', focusRing: 'inside' },
  },
  '.bench-bar': {
    px: '4',
    py: '3',
    bg: 'bg.panel',
    borderBottomRadius: 'l3',
    borderTopWidth: '1px',
    // In windows that are high enough, the stacked buttons stick to the bottom until scrolled past.
    '&[data-pinned]': {
      mb: '4',
      borderWidth: '1px',
      '@media (min-height: 35rem)': { position: 'sticky', bottom: '0', zIndex: 1 },
    },
  },
});

const accordion = defineGlobalStyles({
  '.accordion': {
    display: 'contents',
    '& > h2': {
      ...heading,
      fontSize: 'sm',
      bg: 'bg.panel',
      '[data-scrolls] &': { position: 'sticky', zIndex: 1 },
    },
    '& + & > h2': { borderTopWidth: '1px' },
    '& > h2 > button': {
      ...row,
      width: 'full',
      justifyContent: 'space-between',
      gap: '3',
      px: '4',
      minHeight: '2.75rem',
      fontWeight: 'semibold',
      cursor: 'pointer',
      borderRadius: 'l2',
      focusRing: 'inside',
    },
    '& > h2 > button > span': { flexShrink: '0' },
    '& > h2 > button > small': {
      flex: '1',
      minWidth: '0',
      truncate: true,
      textAlign: 'end',
      fontWeight: 'normal',
      ...small,
    },
    '& > h2 > button > svg': { flexShrink: '0', color: 'fg.muted', transition: 'transform 0.15s' },
    '& > h2 > button[aria-expanded=true] > svg': { transform: 'rotate(180deg)' },
  },
  '.accordion-content': { px: '4', pt: '1', pb: '4' },
});

const starting = defineGlobalStyles({
  '.start': { ...column, gap: '2', containerType: 'inline-size' },
  '.start-row': {
    display: 'grid',
    gap: '2',
    '@container (min-width: 30rem)': { ...row, justifyContent: 'space-between', gap: '6' },
    '& > [aria-live]': { flex: '1' },
  },
  '.start-buttons': { ...row, flexWrap: 'wrap', gap: '2' },
  '.note': small,
  '.usage-hint': { display: 'block', fontSize: 'xs' },
});

export const playgroundStyles = defineGlobalStyles({ ...bench, ...accordion, ...starting });
