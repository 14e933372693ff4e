/** Styles of rows and words, as one set of rules on the element around them. */
export const TEXT_STYLES = {
  '& [data-row]': { maxWidth: '750px', marginInline: 'auto', paddingTop: '2' },
  '& [data-row=opening]': { paddingTop: '4' },
  // A bar and the name show the speaker: many cannot tell speakers by colour alone.
  '& [data-speaker]': { paddingInlineStart: '3', borderInlineStartWidth: '2px' },
  '& [data-translation]': { paddingInlineStart: '4', borderInlineStartWidth: '2px', borderColor: 'border.emphasized' },
  '& p': { textStyle: 'md', lineHeight: '1.7', overflowWrap: 'anywhere', textAlign: 'start' },
  '& hr': { maxWidth: '750px', marginInline: 'auto', marginBlock: '4', borderTopWidth: '1px', borderColor: 'border' },
  // Not copied with the text.
  '& [data-heading]': {
    display: 'flex',
    alignItems: 'baseline',
    gap: '2',
    marginBottom: '1',
    textStyle: 'sm',
    color: 'fg.muted',
    userSelect: 'none',
  },
  '& [data-heading] strong': { fontWeight: 'semibold' },
  '& [data-heading] time': { textStyle: 'xs', fontVariantNumeric: 'tabular-nums' },
  '& [data-details]': { borderRadius: '3px', outline: 'none', cursor: 'text' },
  '& [data-details]:hover': { background: 'bg.muted' },
  '& [data-details]:focus': { background: 'bg.muted' },
  '& [data-details]:focus-visible': { outline: '2px solid var(--chakra-colors-brand-focus-ring)' },
  '& [data-hit]': { background: 'yellow.subtle', color: 'yellow.fg' },
  '& [data-hit=current]': { background: 'yellow.solid', color: 'yellow.contrast' },
  // The line marks the spoken word for people who see no colours.
  '& [data-said]': { background: 'brand.subtle', boxShadow: 'inset 0 -2px 0 var(--chakra-colors-brand-solid)' },
  '& [data-mark]': {
    fontSize: 'xs',
    color: 'fg.muted',
    userSelect: 'none',
    marginInline: '6px',
    paddingInline: '6px',
    borderWidth: '1px',
    borderRadius: 'l1',
  },
  // Provisional words differ by shape, not by colour (LIV-22).
  '& [data-pending]': {
    fontStyle: 'italic',
    textDecoration: 'underline dotted',
    textDecorationThickness: '1px',
    textUnderlineOffset: '4px',
  },
  // Forced colours remove backgrounds and shadows.
  '@media (forced-colors: active)': {
    '& [data-hit]': { forcedColorAdjust: 'none', background: 'Mark', color: 'MarkText' },
    '& [data-hit=current]': { background: 'Highlight', color: 'HighlightText' },
    '& [data-said]': { outline: '2px solid Highlight' },
  },
};
