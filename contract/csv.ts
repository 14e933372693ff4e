/** Tables as comma-separated values (RFC 4180). */

/** Null is an empty cell: nothing is known. */
export type Cell = string | number | null;

/**
 * Where a spreadsheet would read a formula: at the start of a cell, also of a cell that begins at a semicolon or tab.
 * Some spreadsheets skip blanks and invisible characters before it, and read the full-width forms of these characters.
 */
const FORMULA = /(^|[;\t\r\n\uFEFF])((?:(?![\t\r\n])[\s\p{Cc}\p{Default_Ignorable_Code_Point}])*[=+\-@＝＋－＠])/gu;
const BLANK_START = /^[\t\r\n\uFEFF]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Puts an apostrophe before text that a spreadsheet would read as a formula. Leaves numbers unchanged. */
function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const inert = cell.replaceAll(FORMULA, "$1'$2");
  const text = BLANK_START.test(inert) ? `'${inert}` : inert;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Joins rows to a CSV text. The first row has the names of the columns. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
