/** Tables as comma-separated values (RFC 4180). */

/** Null is an empty cell: nothing is known. */
export type Cell = string | number | null;

/**
 * Where a spreadsheet would read a formula: at the start of a cell, and of what it makes a cell where it separates by semicolons or tabs.
 * Some leave out the blanks and invisible characters before it. Some also read the wide forms of these characters.
 */
const FORMULA = /(^|[;\t\r\n\uFEFF])((?:(?![\t\r\n])[\s\p{Cc}\p{Default_Ignorable_Code_Point}])*[=+\-@＝＋－＠])/gu;
const BLANK_START = /^[\t\r\n\uFEFF]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text is never read as a formula: an apostrophe before it keeps it a text. Numbers are as they are. */
function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const inert = cell.replaceAll(FORMULA, "$1'$2");
  const text = BLANK_START.test(inert) ? `'${inert}` : inert;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The first row has the names of the columns. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
