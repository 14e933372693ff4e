import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keepFocus } from '#src/behaviours/keepFocus.ts';
import { type Change, Page, Place } from '../fake-page.ts';
import { stubMutations } from '../mutations.ts';

let mutations: ReturnType<typeof stubMutations<Change>>;
let page: Page;
const element = (tag: string, attributes?: Record<string, string>, ...children: Place[]) =>
  new Place(page, tag, attributes, ...children);

beforeEach(() => {
  page = new Page();
  vi.stubGlobal('HTMLElement', Place);
  mutations = stubMutations<Change>();
});

type Row = { row: Place; button: Place };
const row = (id: string) => element('li', { 'data-row': id }, element('button', { name: id }));

/** A page with a heading, a list of three rows and something that keeps the focus. */
function stand() {
  const rows = ['a', 'b', 'c'].map(row);
  const list = element('div', { 'data-rows': 'Files' }, element('ul', {}, ...rows));
  const retry = element('button');
  const alert = element('div', {}, retry);
  const region = element('div', { 'data-keeps-focus': '' }, alert);
  const heading = element('h1', { tabindex: '-1' });
  const lone = element('button');
  const main = element('main', {}, heading, list, region, lone);
  const area = element('div', {}, main);
  page.body.append(area);
  const outside = element('button');
  page.body.append(outside);
  const undo = keepFocus(area as unknown as HTMLElement);
  const [first, second, third] = rows.map((one) => ({ row: one, button: one.children[0]! })) as [Row, Row, Row];
  return { first, second, third, list, retry, alert, region, heading, lone, main, area, outside, undo };
}
/** What a browser does after the change: microtasks, then the observer. */
async function settle(...changes: Change[]) {
  await Promise.resolve();
  mutations.tell(changes);
}

describe('the focus of what goes from the page', () => {
  it('CON-16: a row that others delete hands it to the next row, the last to the one before', async () => {
    const { first, second, third } = stand();
    second.button.focus();
    await settle(second.row.remove());
    expect(page.activeElement).toBe(third.button);
    await settle(third.row.remove());
    expect(page.activeElement).toBe(first.button);
  });

  it('CON-16: rows that go together hand it to what is left of them, and a list that goes whole to its place', async () => {
    const { first, second, third, list } = stand();
    first.button.focus();
    await settle(first.row.remove(), second.row.remove());
    expect(page.activeElement).toBe(third.button);
    await settle(list.children[0]!.remove());
    expect(page.activeElement).toBe(list);
  });

  it('CON-16: a row without the focus takes it from nobody, whether it is elsewhere or nowhere', async () => {
    const { first, second, outside } = stand();
    await settle(first.row.remove());
    expect(page.activeElement).toBe(page.body);
    second.button.focus();
    outside.focus();
    await settle(second.row.remove());
    expect(page.activeElement).toBe(outside);
  });

  it('CON-16: who has left a row of their own accord keeps nothing of it', async () => {
    const { second } = stand();
    second.button.focus();
    page.leave();
    await Promise.resolve();
    await settle(second.row.remove());
    expect(page.activeElement).toBe(page.body);
  });

  it('ASY-05: a button that is gone once pressed leaves it to what is around it', async () => {
    const { retry, alert, region } = stand();
    retry.focus();
    await settle(alert.remove());
    expect(page.activeElement).toBe(region);
  });

  it('UXP-65: a button that another replaces hands it over, wherever that is', async () => {
    const { retry, alert, lone, region } = stand();
    Object.assign(retry.attributes, { 'data-next': 'stop' });
    retry.focus();
    Object.assign(lone.attributes, { id: 'stop' });
    const askedRegion = vi.spyOn(region, 'focus');
    await settle(alert.remove());
    expect(page.activeElement).toBe(lone);
    expect(askedRegion).not.toHaveBeenCalled();
  });

  it('UXP-65: a button whose replacement is not there leaves it to what is around it', async () => {
    const { retry, alert, region } = stand();
    Object.assign(retry.attributes, { 'data-next': 'stop' });
    retry.focus();
    await settle(alert.remove());
    expect(page.activeElement).toBe(region);
  });

  it('CON-04: where a whole page goes, the heading of the next one has it', async () => {
    const { lone, main, area } = stand();
    lone.focus();
    const change = main.remove();
    const heading = element('h1', { tabindex: '-1' });
    area.append(element('main', {}, heading));
    await settle(change);
    expect(page.activeElement).toBe(heading);
  });

  it('is left where something new has taken it already', async () => {
    const { retry, alert, outside } = stand();
    retry.focus();
    const change = alert.remove();
    page.activeElement = outside;
    await settle(change);
    expect(page.activeElement).toBe(outside);
  });

  it('is nobody’s business once the behaviour is undone', () => {
    const { area, undo } = stand();
    undo?.();
    expect(area.listeners.size).toBe(0);
  });
});
