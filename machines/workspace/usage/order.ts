// The order of a table's rows, by one of its columns.
export type Direction = 'ascending' | 'descending';
export type Order<Column> = { column: Column; direction: Direction };

/** The order after a column was chosen: as its values begin, the other way round if it is chosen again. */
export const reordered = <Column>(
  { column, direction }: Order<Column>,
  chosen: Column,
  first: Direction,
): Order<Column> =>
  chosen === column
    ? { column, direction: direction === 'ascending' ? 'descending' : 'ascending' }
    : { column: chosen, direction: first };

/** The order of a table of figures, by the place of the column. The first one has the heads of the rows. */
export type FiguresOrder = Order<number>;

/** The order in which the server sends the rows. */
export const AS_SENT: FiguresOrder = { column: 0, direction: 'ascending' };

/** The order of figures after a column was chosen: from the highest. */
export const figuresOrdered = (order: FiguresOrder, chosen: number): FiguresOrder =>
  reordered(order, chosen, chosen === 0 ? 'ascending' : 'descending');

type Value = number | string | null | undefined;

function compared(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'en');
}

const isMissing = (value: Value): boolean => value === null || value === undefined || value === '';

/**
 * Sorts rows of figures. Those without a value come last; equal ones stay as they were sent.
 * @param valueOf the value of a row in a column after the first
 */
export function figuresInOrder<Row>(
  rows: readonly Row[],
  { column, direction }: FiguresOrder,
  valueOf: (row: Row, column: number) => Value,
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  if (column === 0) return sign === 1 ? [...rows] : rows.toReversed();
  return rows.toSorted((first, second) => {
    const [one, other] = [valueOf(first, column), valueOf(second, column)];
    if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other));
    return sign * compared(one, other);
  });
}
