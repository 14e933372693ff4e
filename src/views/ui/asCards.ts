/** In a narrow window every row of a table is a card, with the title of its column before each value (CON-23). */
export const AS_CARDS = {
  // The panel around it ends with a line of its own.
  '& tbody tr:last-child td': { borderBottomWidth: '0' },
  '@media (width < 64rem)': {
    '&, & tbody, & tr, & td': { display: 'block' },
    '& thead': { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' },
    '& tr': { padding: '12px 16px' },
    '& tr:not(:last-child)': { borderBottomWidth: '1px' },
    '& td': { padding: '3px 0', borderWidth: '0', overflowWrap: 'anywhere' },
    '& td[data-title]': { display: 'grid', gridTemplateColumns: '5.5rem minmax(0, 1fr)' },
    '& td[data-title]::before': {
      content: 'attr(data-title)',
      gridRow: '1 / span 2',
      color: 'fg.muted',
      fontFamily: 'body',
      fontSize: 'sm',
    },
  },
};
