import { Box, chakra } from '@chakra-ui/react';

/** One set of styles for all cells: there may be thousands. */
const cells = {
  '& th, & td': { px: '3', py: '1.5', whiteSpace: 'nowrap', textAlign: 'end', borderBottomWidth: '1px' },
  '& tr > th:first-of-type': { textAlign: 'start' },
  '& tbody th': { fontWeight: 'normal' },
} as const;

type Row = { name: string; cells: readonly string[] };

/** A table of figures. @param heads column titles, first that of the row names @param rows with unique names */
export function FiguresTable({
  label,
  heads,
  rows,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly Row[];
}) {
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
            {heads.map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
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
