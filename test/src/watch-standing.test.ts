import { expect, it, vi } from 'vitest';
import { watchStanding } from '#src/behaviours/watchStanding.ts';
import { Page, Place } from './fake-page.ts';
import { stubMutations } from './mutations.ts';

it('LIV-25: what is taken out of the document with all that is around it is told once, and once that it is back', () => {
  const mutations = stubMutations();
  const page = new Page();
  const controls = new Place(page, 'div');
  const main = new Place(page, 'main', {}, controls);
  page.body.append(main);
  const tell = vi.fn<(isStanding: boolean) => void>();
  const undo = watchStanding(tell)(controls as never);
  expect(mutations.observe).toHaveBeenCalledExactlyOnceWith(page, { childList: true, subtree: true });
  mutations.tell([]);
  expect(tell.mock.calls).toEqual([[true]]);
  main.remove();
  mutations.tell([]);
  mutations.tell([]);
  page.body.append(main);
  mutations.tell([]);
  expect(tell.mock.calls).toEqual([[true], [false], [true]]);
  undo();
  expect(mutations.disconnect).toHaveBeenCalledTimes(1);
});
