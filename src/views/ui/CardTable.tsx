import { chakra, Skeleton, Table, Text } from '@chakra-ui/react';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Panel } from './Panel.tsx';

/** In narrow windows every row is a card, with the column's title before each value. */
const AS_CARDS = {
  // The panel around the table already has a bottom border.
  '& tbody tr:last-child td': { borderBottomWidth: '0' },
  '@media (width < 64rem)': {
    '&, & tbody, & td': { display: 'block' },
    '& thead': { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' },
    // Puts as many values side by side as fit.
    '& tr': {
      display: 'grid',
      gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 15rem), 1fr))',
      columnGap: '6',
      alignItems: 'baseline',
      padding: '12px 16px',
    },
    '& tr:not(:last-child)': { borderBottomWidth: '1px' },
    '& td': { padding: '3px 0', borderWidth: '0', overflowWrap: 'anywhere' },
    '& td[data-title]': {
      display: 'grid',
      gridTemplateColumns: '5.5rem minmax(0, 1fr)',
      columnGap: '3',
      alignItems: 'start',
    },
    '& td[data-title]::before': {
      content: 'attr(data-title)',
      gridRow: '1 / span 2',
      color: 'fg.muted',
      fontFamily: 'body',
      fontSize: 'sm',
    },
  },
};

/** An identifier in a cell of a table: it is read in one line. */
export const ID = { whiteSpace: { lg: 'nowrap' }, overflowWrap: 'anywhere' } as const;

/** A name in a cell of a table: in one line, cut if it is long. The cell has it as its `title`. */
export const NAME = { maxWidth: { lg: '280px' }, truncate: { lg: true }, overflowWrap: 'anywhere' } as const;

type Direction = 'ascending' | 'descending';

type Columns = {
  titles: readonly string[];
  /** Titles of numeric columns, which are aligned to the end. */
  numbers?: readonly string[] | undefined;
  /** Titles for screen readers only. */
  unseen?: readonly string[] | undefined;
  sorted?: { title: string; how: Direction } | undefined;
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
export const CardTable = ({ titles, numbers, unseen, sorted, onSort, children, ...name }: Props) => (
  <Table.Root role="table" {...name} size="md" bg="transparent" css={AS_CARDS}>
    <Titles {...{ titles, numbers, unseen, sorted, onSort }} />
    <Table.Body role="rowgroup">{children}</Table.Body>
  </Table.Root>
);

const Titles = ({ titles, numbers = [], unseen = [], sorted, onSort }: Columns) => (
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
          {onSort && !unseen.includes(title) ? (
            <SortButton
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

/** Sorts by a column; all of its head can be pressed. The heads of cards are out of sight, so they have none. */
function SortButton({ title, how, onSort }: { title: string; how: Direction | undefined; onSort: () => void }) {
  const Sign = SIGNS[how ?? 'none'];
  return (
    <chakra.button
      type="button"
      aria-label={`Sort by ${title}`}
      onClick={onSort}
      display="inline-flex"
      hideBelow="lg"
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
export const WaitingTable = ({ label, rows, titles, ...columns }: WaitingProps) => (
  <Panel p="0" overflow="hidden" role="status" aria-label={label}>
    <Table.Root size="md" bg="transparent" css={AS_CARDS} aria-hidden>
      <Titles titles={titles} {...columns} />
      <Table.Body>
        {Array.from({ length: rows }, (_, row) => (
          // All placeholder rows are the same.
          // oxlint-disable-next-line react/no-array-index-key
          <Table.Row key={row} bg="transparent">
            {titles.map((title) => (
              <Table.Cell key={title} data-title={title}>
                <Skeleton height="5" />
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
  <Text as="span" color="fg.muted" aria-label="none">
    —
  </Text>
);
