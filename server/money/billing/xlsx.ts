import { MS_PER_DAY } from '#contract/usage.ts';
import { zipStream } from '../../platform/zip.ts';

export type Cell = string | number | Date;
type Cells = readonly Cell[];

/** How a spreadsheet shows numbers and times; their values have all digits. */
const FORMATS = {
  count: '#,##0',
  minutes: '#,##0.00',
  usd: '"$"#,##0.000000',
  moment: 'yyyy-mm-dd hh:mm',
} as const;
type Format = keyof typeof FORMATS;
/** Each has a style of its number; before them are the plain one and that of the head. */
const STYLED = Object.keys(FORMATS) as Format[];
const [HEAD_STYLE, FIRST_STYLE] = [1, 2];

/** @property width in characters */
export interface Column {
  title: string;
  width: number;
  format?: Format;
}

/**
 * A table, page by page, under a head that stays in view and filters. Texts stay texts even if they begin like a
 * formula; numbers are numbers, and times are in UTC.
 */
export interface Sheet {
  name: string;
  columns: readonly Column[];
  pages: AsyncIterable<readonly Cells[]>;
  /** The rows below, once all pages were read. No filter hides them. */
  foot: () => readonly Cells[];
}

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A workbook of one sheet, as a stream that reads the next page on demand. @param onBroken called if a page fails */
export const xlsxStream = (sheet: Sheet, onBroken: (error: unknown) => void): ReadableStream<Uint8Array> =>
  zipStream(
    [
      [
        '[Content_Types].xml',
        [
          `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
          '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
          `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
          `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>`,
          `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
        ].join(''),
      ],
      ['_rels/.rels', relationships(['officeDocument', 'xl/workbook.xml'])],
      ['xl/_rels/workbook.xml.rels', relationships(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml'])],
      [
        'xl/workbook.xml',
        [
          `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>`,
          `<sheet name="${escapeXml(sheet.name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ].join(''),
      ],
      ['xl/styles.xml', STYLES],
      ['xl/worksheets/sheet1.xml', () => sheetXml(sheet)],
    ],
    { mtime: new Date(), onBroken },
  );

async function* sheetXml({ columns, pages, foot }: Sheet): AsyncGenerator<string> {
  const widths = columns.map(
    ({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const styles = columns.map(({ format }) => (format === undefined ? 0 : FIRST_STYLE + STYLED.indexOf(format)));
  yield [
    `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">`,
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
    `<cols>${widths.join('')}</cols><sheetData>`,
    rowXml(
      columns.map(({ title }) => title),
      columns.map(() => HEAD_STYLE),
      0,
    ),
  ].join('');
  let written = 1;
  const rowsXml = (rows: readonly Cells[]): string => {
    const before = written;
    written += rows.length;
    return rows.map((row, index) => rowXml(row, styles, before + index)).join('');
  };
  for await (const rows of pages) yield rowsXml(rows);
  const filter = `<autoFilter ref="A1:${letters(columns.length - 1)}${written}"/>`;
  yield `${rowsXml(foot())}</sheetData>${filter}</worksheet>`;
}

const relationships = (...parts: [type: string, target: string][]): string =>
  [
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">`,
    ...parts.map(
      ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    ),
    '</Relationships>',
  ].join('');

const rowXml = (row: Cells, styles: readonly number[], index: number): string =>
  `<row r="${index + 1}">${row
    .map((value, column) => cellXml(value, `${letters(column)}${index + 1}`, styles[column] ?? 0))
    .join('')}</row>`;

/** @param address such as B7: some readers need it */
const cellXml = (value: Cell, address: string, style: number): string =>
  typeof value === 'string'
    ? `<c r="${address}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`
    : `<c r="${address}" s="${style}"><v>${typeof value === 'number' ? value : daysOf(value)}</v></c>`;

/** Days from the day 0 of spreadsheets to 1970. */
const EPOCH_DAYS = 25_569;
const DAY_PARTS = 1e9;
/** Rounded up by less than a tenth of a millisecond, because some readers cut off what is below one. */
const daysOf = (at: Date): number => Math.ceil((at.getTime() / MS_PER_DAY + EPOCH_DAYS) * DAY_PARTS) / DAY_PARTS;

/** The name of a column: 0 is A, 26 is AA. */
const letters = (column: number): string =>
  (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCodePoint(65 + (column % 26));

/**
 * Escapes XML and removes control characters that it cannot hold. Keeps `_x0041_` a text, not the code of a character.
 */
const escapeXml = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const FIRST_FORMAT = 164;
const styleXml = (format: number, font: number): string =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
const STYLES = [
  `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${STYLED.length}">`,
  ...STYLED.map((name, at) => `<numFmt numFmtId="${FIRST_FORMAT + at}" formatCode="${escapeXml(FORMATS[name])}"/>`),
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${FIRST_STYLE + STYLED.length}">${styleXml(0, 0)}${styleXml(0, 1)}`,
  ...STYLED.map((_, at) => styleXml(FIRST_FORMAT + at, 0)),
  '</cellXfs></styleSheet>',
].join('');
