/** Styles of the settings' plain elements by their class, see `scripts/global-styles.ts`. */
import { defineGlobalStyles } from '@chakra-ui/react';
import { column, row, small } from '../../ui/styles.ts';

export const fieldStyles = defineGlobalStyles({
  '.settings': { ...column, gap: '5' },
  '.settings-group': { ...column, gap: '3' },
  '.hints': {
    minWidth: '0',
    '& > details': { borderWidth: '1px', borderColor: 'border.control', borderRadius: 'l2', bg: 'bg' },
    '& summary': { px: '3', py: '2', borderRadius: 'l2', color: 'fg.muted' },
    '& summary[data-chosen]': { color: 'fg' },
    '& output': { display: 'block', px: '3', pb: '2', ...small },
  },
  '.hints-list': {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(120px, 1fr))',
    gap: '1',
    p: '2',
    maxHeight: '200px',
    overflowY: 'auto',
    focusRing: 'inside',
    '& > div': { px: '1.5', py: '1', borderRadius: 'l1', _hover: { bg: 'bg.muted' } },
  },
  '.context': {
    '& > textarea': { bg: 'bg', fontSize: 'sm', resize: 'vertical', fontFamily: 'body' },
    '& > textarea[data-json]': { fontSize: 'xs', fontFamily: 'mono' },
  },
  '.context-notes': {
    display: 'flex',
    justifyContent: 'space-between',
    columnGap: '3',
    rowGap: '1',
    flexWrap: 'wrap',
    mt: '1.5',
    ...small,
    '& > p:first-of-type': { flex: '1 1 8rem' },
    '& > :last-child': { flexShrink: '0', fontVariantNumeric: 'tabular-nums' },
    '& > [data-error]': { color: 'fg.error' },
  },
  '.context-error': { fontSize: 'xs', color: 'fg.error', '& > p': { mt: '1', overflowWrap: 'anywhere' } },
  '.translation': {
    ...column,
    gap: '1.5',
    minWidth: '0',
    '& > .field-label': { mb: '0' },
    '& > .field-hint': { mt: '0' },
  },
  '.translation-types': { ...row, gap: '2', '& > button': { flex: '1' } },
});
