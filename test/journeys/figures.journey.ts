/** Sixty days of mixed use: every figure on every screen equals a query, to the last digit that is shown. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daysAfter } from '#contract/usage.ts';
import { billedTemplate } from './billed-place.ts';
import { billingOf, PROJECTS, test, type Billed } from './billed.ts';
import { type BilledEntry, type BilledRequest, type Exact, shows, sumOf } from './figures.ts';
import { enter, expect, type Page } from './fixtures.ts';

type Refused = Pick<BilledRequest, 'project' | 'kind' | 'model' | 'at'> & { requests: number };
type Peak = { project: string; day: string; streams: number };
type Truth = { requests: BilledRequest[]; entries: BilledEntry[]; refused: Refused[]; peaks: Peak[] };
const today = new Date().toISOString().slice(0, 10);
const PERIOD = { start_date: daysAfter(today, -59), end_date: today };
const QUERY = new URLSearchParams(PERIOD).toString();
const DAYS = Array.from({ length: 60 }, (_, nth) => daysAfter(PERIOD.start_date, nth));
const KINDS = ['async', 'real_time'] as const;

/** What the database says from which the server started: nothing has changed since. */
async function readTruth({ orgUuid }: Billed): Promise<Truth> {
  const directory = mkdtempSync(join(tmpdir(), 'parlance-'));
  cpSync(join(await billedTemplate(), 'data'), directory, { recursive: true });
  const script = fileURLToPath(new URL('read-billed.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, directory, orgUuid], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  rmSync(directory, { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Truth;
}

/** The terms of a list of figures and what each says. */
async function factsOf(page: Page, list = page.locator('main dl')): Promise<Record<string, string>> {
  await expect(list.first()).toBeVisible();
  const pairs = await list
    .locator('dt')
    .evaluateAll((all) => all.map((term) => [term.textContent ?? '', term.nextElementSibling?.textContent ?? '']));
  return Object.fromEntries(pairs) as Record<string, string>;
}

const rowsOf = (page: Page, name: string | RegExp) =>
  page
    .getByRole('table', { name })
    .locator('tbody tr, tfoot tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')));

/** What the legend of a chart says of each of its series. */
async function legendOf(page: Page, name: string): Promise<Record<string, string>> {
  const entries = page.getByRole('list', { name, exact: true }).getByRole('listitem');
  await expect(entries.first()).toBeVisible();
  const texts = await entries.evaluateAll((all) =>
    all.map((entry) => [...entry.querySelectorAll('span')].map(({ textContent }) => textContent ?? '')),
  );
  return Object.fromEntries(texts.map((parts) => [parts[0], parts.at(-1)])) as Record<string, string>;
}

/** The rows of a chart's table, without the heads of its rows. */
async function stepsOf(page: Page, name: string): Promise<string[][]> {
  const panel = page.getByRole('region', { name, exact: true });
  const table = page.getByRole('table', { name, exact: true });
  if (!(await table.isVisible())) await panel.getByText('Show as a table').click();
  await expect(table).toBeVisible();
  return (await rowsOf(page, name)).map((cells) => cells.slice(1));
}

const wrong: string[] = [];
function compare(where: string, text: string | undefined, exact: Exact): void {
  if (!shows(text ?? '', exact)) wrong.push(`${where}: ${text}, not ${JSON.stringify(exact)}`);
}
function compareRow(where: string, texts: readonly string[] | undefined, exact: readonly Exact[]): void {
  if (texts?.length !== exact.length) wrong.push(`${where}: ${exact.length} figures, not ${texts?.join(' | ')}`);
  else for (const [nth, value] of exact.entries()) compare(`${where}, column ${nth + 1}`, texts[nth], value);
}

/** Compares the table of a chart, day by day, with its last row: a column for each group, and one for all. */
function compareDays(where: string, rows: string[][], figures: (requests: BilledRequest[]) => Exact[], truth: Truth) {
  const ofDays = [...DAYS.map((day) => truth.requests.filter(({ at }) => at.startsWith(day))), within(truth)];
  expect(rows.length, where).toBe(ofDays.length);
  for (const [nth, requests] of ofDays.entries())
    compareRow(`${where}, ${DAYS[nth] ?? 'total'}`, rows[nth], figures(requests));
}

const within = ({ requests }: Truth) => requests.filter(({ at }) => at.slice(0, 10) >= PERIOD.start_date);
const thisMonth = ({ requests }: Truth) => requests.filter(({ at }) => at.startsWith(today.slice(0, 7)));
const by =
  (groups: readonly ((request: BilledRequest) => boolean)[], figure: (of: BilledRequest[]) => Exact) =>
  (requests: BilledRequest[]): Exact[] =>
    [...groups.map((isIn) => requests.filter((request) => isIn(request))), requests].map((of) => figure(of));
const usd = (of: BilledRequest[]): Exact => ({ usd: sumOf(of).cost_micros });
const audio = (of: BilledRequest[]): Exact => ({ audio: sumOf(of).audio_ms });
const count = (of: readonly unknown[]): Exact => ({ count: of.length });
const isKind = (kind: string) => (request: BilledRequest) => request.kind === kind;
const isOf = (project: string | undefined) => (request: BilledRequest) => request.project === project;
const hasStatus = (status: string) => (request: BilledRequest) => request.status === status;

const LATENCIES = {
  'First word': { kind: 'real_time', of: ({ first_word_ms }: BilledRequest) => first_word_ms },
  Finals: { kind: 'real_time', of: ({ finals_ms }: BilledRequest) => finals_ms },
  Queue: { kind: 'async', of: ({ queue_ms }: BilledRequest) => queue_ms },
  // The last one stays chosen for the table of models.
  Processing: { kind: 'async', of: ({ processing_ms }: BilledRequest) => processing_ms },
} as const;

/** Compares percentiles. A p99 of a whole period is told of 100 requests or more. */
function comparePercentiles(where: string, texts: readonly string[], timed: readonly number[], isWhole: boolean): void {
  for (const [nth, share] of [0.5, 0.9, 0.99].entries()) {
    const text = texts[nth] ?? '';
    const isFew = isWhole && share === 0.99 && timed.length < 100;
    if (timed.length > 0 && !isFew) compare(`${where}, column ${nth + 1}`, text, { latency: rankOf(timed, share) });
    else if (text !== (isFew ? 'Under 100 requests' : 'Not measured')) wrong.push(`${where}: ${text}, not measured`);
  }
}

/** How long a file was worked on, or how long the first word of a live session took. */
const timeOf = ({ kind, processing_ms, first_word_ms }: BilledRequest) =>
  kind === 'async' ? processing_ms : first_word_ms;
/** The least of some numbers that a share of them does not exceed. */
const rankOf = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.ceil(share * numbers.length) - 1] ?? NaN;

/** The requests that an entry of refusals tells of. */
const refusedOf = (refused: Refused): BilledRequest[] =>
  Array.from({ length: refused.requests }, () => ({
    ...refused,
    name: '',
    status: 'refused' as const,
    audio_ms: 0,
    cost_micros: 0,
    processing_ms: null,
    first_word_ms: null,
    finals_ms: null,
    queue_ms: null,
  }));

test('MET-13: each figure on each screen equals a query over sixty days of mixed use', async ({ page, billed }) => {
  test.setTimeout(300_000);
  const truth = await readTruth(billed);
  await enter(page);
  const organization = `/org/${billed.orgUuid}/`;
  const [notes] = billed.projects;
  const home = `${organization}projects/${notes}/`;
  const ofNotes = { ...truth, requests: truth.requests.filter(isOf(notes)) };
  expect(new Set(within(ofNotes).map(({ status }) => status)).size).toBe(3);

  await test.step('the dashboard', async () => {
    await page.goto(organization);
    const month = thisMonth(truth);
    const facts = await factsOf(page, page.getByRole('region', { name: 'This month' }).locator('dl').first());
    compare('dashboard: requests', facts['Requests'], count(month));
    compare('dashboard: audio', facts['Audio'], audio(month));
    compare('dashboard: cost', facts['Cost'], usd(month));
    for (const [nth, name] of PROJECTS.entries()) {
      const requests = month.filter(isOf(billed.projects[nth]));
      const card = await factsOf(
        page,
        page.locator('li, article, section').filter({ hasText: name }).last().locator('dl'),
      );
      compare(`dashboard: requests of ${name}`, card['Requests this month'], count(requests));
      compare(`dashboard: audio of ${name}`, card['Audio this month'], audio(requests));
      compare(`dashboard: cost of ${name}`, card['Cost this month'], usd(requests));
    }
  });

  await test.step('the home of a project', async () => {
    await page.goto(home);
    const facts = await factsOf(page, page.locator('main dl').last());
    const month = thisMonth(ofNotes);
    compare('home: requests', facts['Requests'], count(month));
    compare('home: audio', facts['Audio'], audio(month));
    compare('home: cost', facts['Cost'], usd(month));
  });

  await test.step('the limits of the organization', async () => {
    await page.goto(`${organization}limits/`);
    const { audio_ms, cost_micros } = sumOf(thisMonth(truth));
    const minutes = page.getByRole('row').filter({ hasText: 'Audio per month' });
    const used = /([\d,.]+) this month/.exec(await minutes.innerText())?.[1]?.replaceAll(',', '');
    expect(Math.abs(Number(used) - audio_ms / 60_000)).toBeLessThanOrEqual(0.001);
    const spent = page
      .getByRole('row')
      .filter({ hasText: 'Monthly budget' })
      .getByText(/^\$[\d.,]+ this month/);
    compare('limits: cost of the month', (await spent.innerText()).split(' ')[0], { usd: cost_micros });
  });

  await test.step('usage of a project', async () => {
    await page.goto(`${home}usage/cost/?${QUERY}`);
    compareDays('usage cost', await stepsOf(page, 'Cost by day'), by(KINDS.map(isKind), usd), ofNotes);
    const cost = await factsOf(page);
    compareRow(
      'usage cost: totals',
      [cost['Async'], cost['Live'], cost['Total cost']].map(String),
      by(KINDS.map(isKind), usd)(within(ofNotes)),
    );
    await page.goto(`${home}usage/activity/?${QUERY}`);
    compareDays('usage requests', await stepsOf(page, 'Requests by day'), by(KINDS.map(isKind), count), ofNotes);
    await page.getByRole('button', { name: 'Audio time' }).click();
    compareDays('usage audio', await stepsOf(page, 'Audio time by day'), by(KINDS.map(isKind), audio), ofNotes);
    const activity = await factsOf(page);
    compare('usage: requests', activity['Requests'], count(within(ofNotes)));
    compare('usage: live requests', activity['Live requests'], count(within(ofNotes).filter(isKind('real_time'))));
    compare('usage: audio', activity['Audio'], audio(within(ofNotes)));
  });

  await test.step('metrics', async () => {
    await page.goto(`${home}metrics/?${QUERY}`);
    const made = { ...ofNotes, requests: [...ofNotes.requests, ...truth.refused.flatMap(refusedOf)] };
    const requests = within(made);
    const refused = requests.filter(hasStatus('refused'));
    const failed = (of: BilledRequest[]) => of.filter(hasStatus('failed'));
    const rate = (of: BilledRequest[]): Exact => ({
      percent: (100 * of.filter((one) => hasStatus('failed')(one) || hasStatus('refused')(one)).length) / of.length,
    });
    const facts = await factsOf(page);
    const [ended, others] = (facts['Requests'] ?? '').split(' + ');
    compare('metrics: requests', ended, count(within(ofNotes)));
    compare('metrics: refused requests', others?.replace(' refused', ''), count(refused));
    compare('metrics: audio', facts['Audio'], audio(requests));
    compare('metrics: error rate', facts['Error rate'], rate(requests));
    const states = ['completed', 'failed', 'refused', 'cancelled'].map(hasStatus);
    compareDays('metrics requests', await stepsOf(page, 'Requests by day'), by(states, count), made);
    compareDays('metrics audio', await stepsOf(page, 'Audio by day'), (of) => [audio(of)], made);
    const errors = await stepsOf(page, 'Error rate by day');
    for (const [nth, day] of DAYS.entries()) {
      const of = requests.filter(({ at }) => at.startsWith(day));
      compareRow(`metrics errors, ${day}`, errors[nth]?.slice(0, 3), [
        ...[count(of), count(failed(of))],
        count(of.filter(hasStatus('refused'))),
      ]);
      if (of.length > 0) compare(`metrics error rate, ${day}`, errors[nth]?.at(-1), rate(of));
    }
    const ends = await legendOf(page, 'How requests ended');
    for (const name of ['Completed', 'Failed', 'Refused', 'Cancelled'])
      compare(`metrics: legend of ${name}`, ends[name], count(requests.filter(hasStatus(name.toLowerCase()))));
    compare('metrics: legend of audio', (await legendOf(page, 'Audio'))['Audio'], audio(requests));
    compare('metrics: legend of errors', (await legendOf(page, 'Error rate'))['Error rate'], rate(requests));

    const peakIn = (day: string) =>
      truth.peaks.find((peak) => peak.project === notes && peak.day === day)?.streams ?? 0;
    const peaks = [...DAYS.map(peakIn), Math.max(...DAYS.map(peakIn))].map((streams) => ({ count: streams }));
    const streams = await stepsOf(page, 'Concurrent streams by day');
    expect(streams.length).toBe(peaks.length);
    for (const [nth, peak] of peaks.entries())
      compareRow(`metrics streams, ${DAYS[nth] ?? 'highest'}`, streams[nth], [peak]);
    const highest = peaks.at(-1) ?? { count: NaN };
    compare('metrics: peak streams', facts['Peak streams']?.split(' of ')[0], highest);
    compare('metrics: legend of streams', (await legendOf(page, 'Streams'))['Most at once'], highest);

    for (const [name, { kind, of }] of Object.entries(LATENCIES)) {
      await page.getByRole('button', { name, exact: true }).click();
      const timedIn = (among: BilledRequest[]) =>
        among.filter((one) => isKind(kind)(one) && hasStatus('completed')(one)).flatMap((one) => of(one) ?? []);
      const rows = await stepsOf(page, `${name} latency by day`);
      for (const [nth, day] of DAYS.entries()) {
        const ofDay = timedIn(requests.filter(({ at }) => at.startsWith(day)));
        comparePercentiles(`metrics ${name}, ${day}`, rows[nth] ?? [], ofDay, false);
      }
      comparePercentiles(`metrics ${name}`, rows[DAYS.length] ?? [], timedIn(requests), true);
      const { p50 = '', p90 = '', p99 = '' } = await legendOf(page, 'Percentiles');
      comparePercentiles(`metrics: legend of ${name}`, [p50, p90, p99], timedIn(requests), true);
      const kindName = kind === 'async' ? 'Async' : 'Live';
      const cards = await factsOf(page);
      const ofCards = ['p50', 'p90', 'p99'].map((of99) => cards[`${kindName}: ${name.toLowerCase()} ${of99}`] ?? '');
      comparePercentiles(`metrics: cards of ${name}`, ofCards, timedIn(requests), true);
    }
    const heads = await page.getByRole('table', { name: 'Models' }).getByRole('columnheader').allTextContents();
    const models = await rowsOf(page, 'Models');
    for (const [nth, of] of [...KINDS.map((kind) => requests.filter(isKind(kind))), requests].entries()) {
      const shown = Object.fromEntries(heads.map((head, column) => [head, models[nth]?.[column]]));
      const where = `metrics: row ${nth + 1} of models`;
      compareRow(where, [shown['Requests'], shown['Failed'], shown['Refused'], shown['Cancelled']].map(String), [
        count(of),
        count(failed(of)),
        count(of.filter(hasStatus('refused'))),
        count(of.filter(hasStatus('cancelled'))),
      ]);
      compare(`${where}, error rate`, shown['Error rate'], rate(of));
      compare(`${where}, audio`, shown['Audio'], audio(of));
      const timed = of.filter(hasStatus('completed')).flatMap((request) => timeOf(request) ?? []);
      if (nth === KINDS.length) continue;
      compare(`${where}, p50`, shown['p50'], { latency: rankOf(timed, 0.5) });
      compare(`${where}, p90`, shown['p90'], { latency: rankOf(timed, 0.9) });
    }
  });

  await test.step('the logs', async () => {
    await page.goto(`${home}api/logs/`);
    const row = page.getByRole('row').filter({ hasText: 'parlance-' });
    await expect(row.first()).toBeVisible();
    const heads = await page.getByRole('columnheader').allTextContents();
    const cells = await row.evaluateAll((rows) =>
      rows.map((one) => [...one.children].map(({ textContent }) => textContent ?? '')),
    );
    expect(cells.length).toBeGreaterThan(10);
    const listed = [...ofNotes.requests, ...truth.refused.flatMap((one) => refusedOf(one).slice(0, 1))].toSorted(
      (one, other) => other.at.localeCompare(one.at),
    );
    const column = (name: string) => heads.findIndex((head) => head.startsWith(name));
    for (const [nth, texts] of cells.entries()) {
      const request = listed[nth];
      expect(request).toBeDefined();
      if (!request) continue;
      expect(texts[column('Status')]?.toLowerCase()).toBe(request.status);
      if (['failed', 'refused'].includes(request.status)) continue;
      compare(`logs: audio of row ${nth + 1}`, texts[column('Audio')], audio([request]));
      compare(`logs: cost of row ${nth + 1}`, texts[column('Cost')], usd([request]));
    }
  });

  await test.step('billing: reports, costs, transactions, overview', async () => {
    const projects = billed.projects.map(isOf);
    await page.goto(`${billingOf(billed)}reports/?${QUERY}`);
    compareDays('report cost', await stepsOf(page, 'Cost by day'), by(projects, usd), truth);
    const totals = await factsOf(page);
    const all = within(truth);
    compare('report: cost', totals['Total cost'], usd(all));
    compare('report: requests', totals['Requests'], count(all));
    compare('report: audio', totals['Audio'], audio(all));
    await page.getByRole('button', { name: 'Requests', exact: true }).click();
    compareDays('report requests', await stepsOf(page, 'Requests by day'), by(projects, count), truth);
    await page.getByRole('button', { name: 'Audio time', exact: true }).click();
    compareDays('report audio', await stepsOf(page, 'Audio time by day'), by(projects, audio), truth);

    await page.goto(`${billingOf(billed)}costs/?${QUERY}`);
    await expect(page.getByRole('table', { name: 'Cost by project and model' })).toBeVisible();
    const costs = await rowsOf(page, 'Cost by project and model');
    const groups = projects.flatMap((project) => KINDS.map((kind) => all.filter(project).filter(isKind(kind))));
    for (const [nth, of] of [...groups, all].entries())
      compareRow(`costs: row ${nth + 1}`, costs[nth]?.slice(-3), [count(of), audio(of), usd(of)]);

    await page.goto(`${billingOf(billed)}transactions/`);
    const table = page.getByRole('table', { name: 'Transactions' });
    await expect(table).toBeVisible();
    const entries = await rowsOf(page, 'Transactions');
    const spentToday = sumOf(truth.requests.filter(({ at }) => at.startsWith(today))).cost_micros;
    const balance = (truth.entries[0]?.balance ?? NaN) - spentToday;
    const lines = [{ micros: -spentToday, balance }, ...truth.entries.slice(0, 50)];
    expect(entries.length).toBe(lines.length);
    for (const [nth, line] of lines.entries()) {
      compare(`transactions: amount of row ${nth + 1}`, entries[nth]?.[3], { usd: line.micros });
      compare(`transactions: balance of row ${nth + 1}`, entries[nth]?.[4], { usd: line.balance });
    }

    await page.goto(`${billingOf(billed)}overview/`);
    const shown = page.getByRole('region', { name: 'Balance' }).getByText(/^-?\$[\d.,]+$/);
    compare('overview: balance', await shown.first().innerText(), { usd: balance });
    const spent = page.getByRole('region', { name: 'Spending' }).getByText(/^\$[\d.,]+$/);
    compare('overview: cost of the month', await spent.first().innerText(), usd(thisMonth(truth)));
  });
  expect(wrong).toEqual([]);
});
