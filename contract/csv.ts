/** Tables as comma-separated values (RFC 4180). */

/** Null is an empty cell: nothing is known. */
export type Cell = string | number | null;

/** What a spreadsheet would take for a formula; some also read the wide forms of these characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text is never read as a formula: a quotation mark before it keeps it a text. Numbers are as they are. */
function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The first row has the names of the columns. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
