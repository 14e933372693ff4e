import { chakra, Skeleton, Table, Text } from '@chakra-ui/react';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Direction } from '#machines/workspace/usage/order.ts';
import { Panel } from './Panel.tsx';

/** Below which width of the window rows are cards; the names are those of the theme. */
const WIDTHS = { lg: '64rem', xl: '80rem' } as const;
type Width = keyof typeof WIDTHS;

/** Out of sight, and there for screen readers. */
const UNSEEN = { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' };

/**
 * In narrow windows every row is a card. Its first line has the first cell, and at its end the cell with `data-end`;
 * the other values follow, each behind its column's title, as many in a line as fit.
 */
const asCards = (below: Width) => ({
  // The panel around the table already has a bottom border.
  '& tbody tr:last-child td': { borderBottomWidth: '0' },
  [`@media (width < ${WIDTHS[below]})`]: {
    '&, & tbody': { display: 'block' },
    '& thead': UNSEEN,
    '& tr': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'baseline',
      columnGap: '5',
      rowGap: '1',
      padding: '12px 16px',
    },
    // Ends the first line.
    '& tr::before': { content: '""', order: '-1', flexBasis: '100%' },
    '& tr:not(:last-child)': { borderBottomWidth: '1px' },
    '& td': { display: 'block', minWidth: '0', padding: '0', borderWidth: '0', overflowWrap: 'anywhere' },
    '& td:first-of-type': { order: '-2', fontWeight: 'medium' },
    '& td[data-end]': { order: '-2', marginInlineStart: 'auto' },
    // What can be done with the row.
    '& td:not([data-title], :first-of-type)': { flexBasis: '100%' },
    '& td[data-title]:has(> [data-none]:only-child, > bdi > [data-none])': UNSEEN,
    '& td[data-title]:not(:first-of-type, [data-end])::before': {
      content: 'attr(data-title)',
      marginInlineEnd: '2',
      color: 'fg.muted',
      fontFamily: 'body',
      fontSize: 'sm',
    },
  },
});
const AS_CARDS = { lg: asCards('lg'), xl: asCards('xl') };

/** An identifier in a cell of a table: it is read in one line. */
export const ID = { whiteSpace: { lg: 'nowrap' }, overflowWrap: 'anywhere' } as const;

/** A name in a cell of a table: in one line, cut if it is long. The cell has it as its `title`. */
export const NAME = { maxWidth: { lg: '280px' }, truncate: { lg: true }, overflowWrap: 'anywhere' } as const;

type Columns = {
  titles: readonly string[];
  /** Titles of numeric columns, which are aligned to the end. */
  numbers?: readonly string[] | undefined;
  /** Titles for screen readers only. */
  unseen?: readonly string[] | undefined;
  sorted?: { title: string; how: Direction } | undefined;
  /** Titles of columns that do not sort. */
  unsorted?: readonly string[] | undefined;
  /** Rows are cards in windows below this width; `lg` by default. */
  cardsBelow?: Width | undefined;
  /** Called with the title of a head that was pressed, if the heads sort. */
  onSort?: ((title: string) => void) | undefined;
};
type Name = { 'aria-label': string } | { 'aria-labelledby': string };
type Props = Columns & Name & { children: ReactNode };

/**
 * A table whose rows become cards in narrow windows (CON-23). Cells name their column by `data-title`. All elements
 * have explicit roles, so that screen readers still find a table in the cards; the first cell of a row is its
 * `rowheader`.
 */
export const CardTable = ({
  titles,
  numbers,
  unseen,
  sorted,
  unsorted,
  cardsBelow = 'lg',
  onSort,
  children,
  ...name
}: Props) => (
  <Table.Root role="table" {...name} size="md" bg="transparent" css={AS_CARDS[cardsBelow]}>
    <Titles {...{ titles, numbers, unseen, sorted, unsorted, onSort }} />
    <Table.Body role="rowgroup">{children}</Table.Body>
  </Table.Root>
);

const Titles = ({ titles, numbers = [], unseen = [], sorted, unsorted = [], onSort }: Columns) => (
  <Table.Header role="rowgroup">
    <Table.Row role="row" bg="transparent">
      {titles.map((title) => (
        <Table.ColumnHeader
          key={title}
          role="columnheader"
          // Without the name of the button that sorts.
          {...(onSort ? { 'aria-label': title } : {})}
          whiteSpace="nowrap"
          {...(onSort ? { position: 'relative' } : {})}
          {...(numbers.includes(title) ? { textAlign: 'end' } : {})}
          {...(sorted?.title === title ? { 'aria-sort': sorted.how } : {})}
        >
          {unseen.includes(title) ? <Text srOnly>{title}</Text> : <span>{title}</span>}
          {onSort && !unseen.includes(title) && !unsorted.includes(title) ? (
            <SortButton
              hideBelow="lg"
              title={title}
              how={sorted?.title === title ? sorted.how : undefined}
              onSort={() => onSort(title)}
            />
          ) : null}
        </Table.ColumnHeader>
      ))}
    </Table.Row>
  </Table.Header>
);

const SIGNS = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown } as const;

type SortProps = {
  title: string;
  how: Direction | undefined;
  onSort: () => void;
  /** The heads of cards are out of sight, so they have none. */
  hideBelow?: 'lg';
};

/** Sorts by a column. All of its head, which is positioned, can be pressed. */
export function SortButton({ title, how, onSort, hideBelow }: SortProps) {
  const Sign = SIGNS[how ?? 'none'];
  return (
    <chakra.button
      type="button"
      aria-label={`Sort by ${title}`}
      onClick={onSort}
      display="inline-flex"
      {...(hideBelow ? { hideBelow } : {})}
      alignItems="center"
      justifyContent="center"
      verticalAlign="middle"
      boxSize="6"
      my="-1"
      borderRadius="l1"
      cursor="pointer"
      focusRing="outside"
      _hover={{ bg: 'bg.muted' }}
      _after={{ content: '""', position: 'absolute', inset: '0' }}
      css={{ '& > svg': { opacity: how ? 1 : 0.5 } }}
    >
      <Sign size={14} aria-hidden />
    </chakra.button>
  );
}

type WaitingProps = Columns & {
  label: string;
  /** How many placeholder rows to show. */
  rows: number;
};

/** A placeholder for a CardTable while it loads. */
export const WaitingTable = ({ label, rows, titles, cardsBelow = 'lg', ...columns }: WaitingProps) => (
  <Panel p="0" overflow="hidden" role="status" aria-label={label}>
    <Table.Root size="md" bg="transparent" css={AS_CARDS[cardsBelow]} aria-hidden>
      <Titles titles={titles} {...columns} />
      <Table.Body>
        {Array.from({ length: rows }, (_, row) => (
          // All placeholder rows are the same.
          // oxlint-disable-next-line react/no-array-index-key
          <Table.Row key={row} bg="transparent">
            {titles.map((title) => (
              <Table.Cell key={title} data-title={title}>
                <Skeleton height="5" minWidth="16" />
              </Table.Cell>
            ))}
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  </Panel>
);

/** A cell without a value. */
export const None = () => (
  <Text as="span" color="fg.muted" aria-label="none" data-none>
    —
  </Text>
);
