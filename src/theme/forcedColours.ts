/**
 * The console with forced colours (UXP-04): the browser drops backgrounds and shadows, which elsewhere mark what is
 * chosen, on, disabled, or on top. Only the stylesheet has these rules, see `classes.ts`.
 */
import { defineGlobalStyles } from '@chakra-ui/react';

/** What is chosen, open, or where the arrow keys are. */
const CHOSEN = [
  ':is([role=option], [role=tab])[aria-selected=true]',
  '[role^=menuitem][data-highlighted]',
  'button[aria-pressed=true]',
  '.nav-list [aria-current=page]',
  '.item-row:has([aria-current])',
  '[role=radiogroup] > label:has(:checked)',
].join(', ');

/** The parts of a switch: its text keeps the page's colours. */
const TRACK = '.switch-control';
const THUMB = '.switch-thumb';

const rules = defineGlobalStyles({
  [CHOSEN]: {
    forcedColorAdjust: 'none',
    background: 'Highlight !important',
    borderColor: 'Highlight !important',
    color: 'HighlightText !important',
    '& *': { color: 'inherit !important' },
    // Its own ring would be drawn in the brand's colour, on or beside the highlight.
    '&:focus-visible, & :focus-visible, &:has(:focus-visible)': {
      outline: '2px solid HighlightText !important',
      outlineOffset: '-4px !important',
    },
  },
  [TRACK]: {
    forcedColorAdjust: 'none',
    background: 'Canvas !important',
    boxShadow: 'inset 0 0 0 1px CanvasText',
    '&[data-checked]': { background: 'Highlight !important', boxShadow: 'inset 0 0 0 1px Highlight' },
    '&[data-disabled]': { opacity: '1', boxShadow: 'inset 0 0 0 1px GrayText' },
  },
  [`.switch > input:focus-visible + ${TRACK}`]: { outlineColor: 'CanvasText !important' },
  [THUMB]: { background: 'CanvasText !important', '&[data-checked]': { background: 'HighlightText !important' } },
  [`${TRACK}[data-disabled] > ${THUMB}`]: { background: 'GrayText !important' },
  ':is(button, select, [role=tab]):is(:disabled, [aria-disabled=true]):not([aria-busy=true])': {
    color: 'GrayText !important',
    borderColor: 'GrayText !important',
  },
  ':is([role=dialog], [role=alertdialog], [role=menu])': { border: '1px solid CanvasText !important' },
  ':is([role=meter], [data-scope=progress][data-part=track])': {
    forcedColorAdjust: 'none',
    background: 'Canvas !important',
    border: '1px solid CanvasText',
    '& > *': { background: 'Highlight !important' },
  },
});

export const forcedColours = Object.fromEntries(
  Object.entries(rules).map(([selector, styles]) => [selector, { '@media (forced-colors: active)': styles }]),
);
