import { zipStream } from '../../platform/zip.ts';

type Cells = readonly (string | number)[];

/** A table, page by page. Texts stay texts even if they begin like a formula; numbers are numbers. */
export interface Sheet {
  name: string;
  pages: AsyncIterable<readonly Cells[]>;
}

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A workbook of one sheet, as a stream that reads the next page on demand. @param onBroken called if a page fails */
export const xlsxStream = ({ name, pages }: Sheet, onBroken: (error: unknown) => void): ReadableStream<Uint8Array> =>
  zipStream(
    [
      [
        '[Content_Types].xml',
        [
          `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
          '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
          `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
          `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
        ].join(''),
      ],
      ['_rels/.rels', relationship('officeDocument', 'xl/workbook.xml')],
      ['xl/_rels/workbook.xml.rels', relationship('worksheet', 'worksheets/sheet1.xml')],
      [
        'xl/workbook.xml',
        [
          `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>`,
          `<sheet name="${escapeXml(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ].join(''),
      ],
      ['xl/worksheets/sheet1.xml', () => sheetXml(pages)],
    ],
    { mtime: new Date(), onBroken },
  );

async function* sheetXml(pages: Sheet['pages']): AsyncGenerator<string> {
  yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
  let written = 0;
  for await (const rows of pages) {
    const before = written;
    written += rows.length;
    yield rows.map((row, index) => rowXml(row, before + index)).join('');
  }
  yield '</sheetData></worksheet>';
}

const relationship = (type: string, target: string): string =>
  [
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">`,
    `<Relationship Id="rId1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`,
  ].join('');

const rowXml = (row: Cells, index: number): string =>
  `<row r="${index + 1}">${row.map((value, column) => cellXml(value, `${letters(column)}${index + 1}`)).join('')}</row>`;

/** @param address such as B7: some readers need it */
const cellXml = (value: string | number, address: string): string =>
  typeof value === 'number'
    ? `<c r="${address}"><v>${value}</v></c>`
    : `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`;

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
