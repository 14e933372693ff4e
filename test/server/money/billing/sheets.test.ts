/** How a downloaded sheet looks in a spreadsheet. */
import { unzipSync } from 'fflate';
import { readSheet } from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { reportSheet } from '#server/money/billing/sheets.ts';
import { xlsxStream } from '#server/money/billing/xlsx.ts';

const ROW = {
  step: new Date('2026-05-04T13:00:00Z'),
  project_uuid: 'p1',
  project_name: 'Calls',
  is_deleted: false,
  service: 'transcription',
  requests: 6,
  audio_ms: 1_000_000,
  cost_micros: 9_153_265,
};

async function* pages() {
  yield [ROW];
  yield [{ ...ROW, is_deleted: true, step: new Date('2026-05-04T14:00:00Z') }];
}

it('RPT-05: money is in dollars, audio in minutes and time a time; the head stays in view and filters all but the total', async () => {
  const bytes = await new Response(xlsxStream(reportSheet(pages()), () => expect.unreachable())).arrayBuffer();
  const parts = unzipSync(new Uint8Array(bytes));
  const text = (name: string) => new TextDecoder().decode(parts[name]);
  const sheet = text('xl/worksheets/sheet1.xml');
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(sheet).toContain('<col min="2" max="2" width="28" customWidth="1"/>');
  expect(sheet).toContain('<autoFilter ref="A1:G3"/>');

  // The style of a cell leads to its format.
  const styles = text('xl/styles.xml');
  const formats = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id, code]),
  );
  const cells = [...(styles.split('<cellXfs')[1] ?? '').matchAll(/numFmtId="(\d+)"/g)];
  const formatOf = (address: string) =>
    formats.get(cells[Number(new RegExp(`r="${address}" s="(\\d+)"`).exec(sheet)?.[1])]?.[1]);
  expect(['A2', 'B2', 'E2', 'F2', 'G2', 'G4'].map(formatOf)).toEqual([
    'yyyy-mm-dd hh:mm',
    undefined,
    '#,##0',
    '#,##0.00',
    '&quot;$&quot;#,##0.000000',
    '&quot;$&quot;#,##0.000000',
  ]);
  const rows = await readSheet(Buffer.from(bytes));
  expect(rows[1]).toEqual([ROW.step, 'Calls', 'p1', 'Transcription', 6, 16.666667, 9.153265]);
  expect(rows[2]?.[1]).toBe('Calls (deleted)');
  expect(rows[3]).toEqual(['Total', null, null, null, 12, 33.333333, 18.30653]);
});
