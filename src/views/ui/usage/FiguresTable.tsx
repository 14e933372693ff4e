import { Box, chakra } from '@chakra-ui/react';
import type { FiguresOrder } from '#machines/workspace/usage/order.ts';
import { SortButton } from '../CardTable.tsx';

/** One set of styles for all cells: there may be thousands. */
const cells = {
  '& th, & td': { px: '3', py: '1.5', whiteSpace: 'nowrap', textAlign: 'end', borderBottomWidth: '1px' },
  '& thead th': { position: 'relative' },
  '& tr > th:first-of-type': { textAlign: 'start' },
  '& tbody th': { fontWeight: 'normal' },
} as const;

type Row = { name: string; cells: readonly string[] };

type Props = {
  label: string;
  /** Column titles, first that of the row names. */
  heads: readonly string[];
  /** With unique names, in order. */
  rows: readonly Row[];
  order?: FiguresOrder;
  /** Called with the place of the column whose head was pressed, if the heads sort. */
  onSort?: (column: number) => void;
};

/** A table of figures. */
export function FiguresTable({ label, heads, rows, order, onSort }: Props) {
  return (
    <Box
      role="region"
      aria-label={`${label}, as a table`}
      tabIndex={0}
      mt="3"
      maxH="480px"
      overflow="auto"
      borderWidth="1px"
      borderRadius="l2"
      focusRing="outside"
    >
      <chakra.table aria-label={label} width="full" fontSize="sm" fontVariantNumeric="tabular-nums" css={cells}>
        <thead>
          <tr>
            {heads.map((head, column) => {
              const how = order?.column === column ? order.direction : undefined;
              return (
                <th scope="col" key={head} aria-sort={how}>
                  <span>{head}</span>
                  {onSort ? <SortButton title={head} how={how} onSort={() => onSort(column)} /> : null}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={row.name} {...row} />
          ))}
        </tbody>
      </chakra.table>
    </Box>
  );
}

function TableRow({ name, cells: texts }: Row) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {texts.map((text, place) => (
        // Columns never move.
        // oxlint-disable-next-line react/no-array-index-key
        <td key={place}>{text}</td>
      ))}
    </tr>
  );
}
