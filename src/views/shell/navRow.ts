/** The look of every row of the sidebar. */
export const navRow = {
  display: 'flex',
  alignItems: 'center',
  gap: '2.5',
  w: 'full',
  minH: '2rem',
  px: '3',
  borderRadius: 'l1',
  fontSize: 'sm',
  fontWeight: 'medium',
  color: 'fg.muted',
  textAlign: 'start',
  cursor: 'pointer',
  transition: 'background 150ms, color 150ms',
  focusRing: 'inside',
  _hover: { bg: 'bg.muted', color: 'fg' },
  _currentPage: { bg: 'brand.subtle', color: 'brand.fg' },
} as const;
