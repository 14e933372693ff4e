/** Styles of plain elements by their class, see `scripts/global-styles.ts`: what every page has. */
import { defineGlobalStyles } from '@chakra-ui/react';

/** A heading of the size `xl`, unless other styles follow. */
export const heading = { fontFamily: 'heading', fontWeight: 'semibold', textStyle: 'xl' } as const;
export const small = { fontSize: 'xs', color: 'fg.muted' } as const;
export const column = { display: 'flex', flexDirection: 'column' } as const;
export const row = { display: 'flex', alignItems: 'center' } as const;
export const card = { bg: 'bg.panel', borderWidth: '1px', borderRadius: 'l3' } as const;

export const uiStyles = defineGlobalStyles({
  '.sr-only': { srOnly: true },
  '.page': {
    outline: 'none',
    w: 'full',
    maxW: '1080px',
    px: { base: '4', md: '8' },
    py: { base: '6', md: '10' },
    '&[data-wide]': { maxW: 'none' },
  },
  '.page-head': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'flex-start',
    justifyContent: 'space-between',
    gap: '4',
    mb: { base: '6', md: '8' },
    '& > div:first-of-type': { minW: '0', flex: '1 1 240px' },
    '& h1': {
      ...heading,
      outline: 'none',
      fontSize: { base: '2xl', md: '3xl' },
      lineHeight: '1.25',
      letterSpacing: '-0.02em',
      overflowWrap: 'anywhere',
    },
  },
  '.page-intro': { mt: '2', color: 'fg.muted', overflowWrap: 'anywhere' },
  '.page-actions': { display: 'flex', gap: '3', flexWrap: 'wrap' },
  '.kept-line': { px: '3', pb: '2', fontSize: 'sm', color: 'fg.muted' },
  '.logo': {
    display: 'flex',
    alignItems: 'center',
    gap: '2.5',
    fontWeight: 'semibold',
    letterSpacing: '-0.01em',
    '& > svg': { boxSize: '7', flexShrink: '0' },
    '& > span': { truncate: true },
    '& > small': {
      px: '1.5',
      py: '0.5',
      borderRadius: '6px',
      bg: 'brand.subtle',
      color: 'brand.fg',
      fontSize: 'xs',
      fontWeight: 'medium',
      letterSpacing: 'normal',
    },
  },
  '.toasts': {
    display: 'flex',
    flexDirection: 'column',
    gap: '2',
    position: 'fixed',
    zIndex: 'toast',
    bottom: { base: '4', md: '6' },
    right: { base: '4', md: '6' },
    w: 'min(380px, calc(100vw - 32px))',
    pointerEvents: 'none',
    '& > div': { display: 'flex', flexDirection: 'column', gap: '2' },
  },
  '.icon-button': { px: '0', py: '0', _icon: { fontSize: '1.2em' } },
  '.disclosure': {
    '& > summary': {
      display: 'flex',
      alignItems: 'center',
      gap: '2',
      fontSize: 'sm',
      cursor: 'pointer',
      focusRing: 'outside',
      listStyleType: 'none',
    },
    '& > summary::-webkit-details-marker': { display: 'none' },
    '& > summary > span': { flex: '1', minWidth: '0', overflowWrap: 'anywhere' },
    '& > summary > svg': { flexShrink: '0', transition: 'transform 150ms' },
    '&[open] > summary > svg': { transform: 'rotate(180deg)' },
  },
  '.check-box': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '2',
    minWidth: '0',
    fontSize: 'sm',
    cursor: 'pointer',
    '& > span': { minWidth: '0', overflowWrap: 'anywhere' },
    '& > input': {
      appearance: 'none',
      display: 'inline-grid',
      placeContent: 'center',
      flexShrink: '0',
      boxSize: '4.5',
      borderWidth: '1px',
      borderColor: 'border.control',
      // A larger radius would make it look like a radio button.
      borderRadius: 'sm',
      bg: 'bg',
      cursor: 'inherit',
      focusRing: 'outside',
      _disabled: { opacity: 0.5, cursor: 'disabled' },
      _invalid: { borderColor: 'border.error' },
      _checked: { bg: 'brand.solid', borderColor: 'brand.solid' },
      // The tick. With forced colours it needs a system colour.
      _before: {
        content: '""',
        boxSize: '3',
        bg: 'brand.contrast',
        clipPath: 'polygon(14% 47%, 6% 56%, 40% 88%, 96% 22%, 87% 14%, 39% 70%)',
        visibility: 'hidden',
        '@media (forced-colors: active)': { bg: 'CanvasText' },
      },
      '&:checked::before': { visibility: 'visible' },
    },
  },
});
