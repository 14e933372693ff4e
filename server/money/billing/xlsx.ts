import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** A table: texts stay texts, whatever they begin with, and numbers are numbers. */
export interface Sheet {
  name: string;
  rows: readonly (readonly (string | number)[])[];
}

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A workbook of one sheet. */
export async function toXlsx({ name, rows }: Sheet): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  const add = (path: string, xml: string): void => zip.addBuffer(Buffer.from(HEAD + xml), path);
  add(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  );
  add('_rels/.rels', relationship('officeDocument', 'xl/workbook.xml'));
  add('xl/_rels/workbook.xml.rels', relationship('worksheet', 'worksheets/sheet1.xml'));
  add(
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escapeXml(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  );
  add(
    'xl/worksheets/sheet1.xml',
    `<worksheet xmlns="${MAIN}"><sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`,
  );
  zip.end();
  return buffer(zip.outputStream);
}

const relationship = (type: string, target: string): string =>
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`;

const rowXml = (row: readonly (string | number)[], index: number): string =>
  `<row r="${index + 1}">${row.map((value, column) => cellXml(value, `${letters(column)}${index + 1}`)).join('')}</row>`;

/** @param address such as B7: not every reader counts cells by itself */
const cellXml = (value: string | number, address: string): string =>
  typeof value === 'number'
    ? `<c r="${address}"><v>${value}</v></c>`
    : `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`;

/** The name of a column: 0 is A, 26 is AA. */
const letters = (column: number): string =>
  (column < 26 ? '' : letters(Math.floor(column / 26) - 1)) + String.fromCodePoint(65 + (column % 26));

/** Control characters that XML has no way to write are left out; what a workbook would read as the code of a character stays as it is. */
const escapeXml = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
