import { expect, it, vi } from 'vitest';
import { firstInvalid } from '../../../src/behaviours/firstInvalid.ts';
import { stubMutations } from '../mutations.ts';

/** A form whose attributes can be changed; the observer hears only of those that it asked for. */
function formWith(invalid: { focus: () => void } | null) {
  const mutations = stubMutations();
  const undo = firstInvalid({ querySelector: () => invalid, addEventListener: () => undefined } as never);
  const change = (attribute: string) => {
    if (mutations.observe.mock.lastCall?.[1].attributeFilter?.includes(attribute)) mutations.tell([]);
  };
  return { change, disconnect: mutations.disconnect, undo };
}

it('ORG-02: the first invalid field takes the focus after each refused submit, also with the same error', () => {
  const field = { focus: vi.fn() };
  const { change, undo, disconnect } = formWith(field);
  change('data-refused-submits');
  expect(field.focus).toHaveBeenCalledTimes(1);
  change('data-refused-submits');
  expect(field.focus).toHaveBeenCalledTimes(2);
  // An error that comes or goes in between moves nobody.
  change('aria-invalid');
  expect(field.focus).toHaveBeenCalledTimes(2);
  undo();
  expect(disconnect).toHaveBeenCalledOnce();
});

it('ORG-02: a refusal that is about no field leaves the focus where it is', () => {
  const { change } = formWith(null);
  expect(() => change('data-refused-submits')).not.toThrow();
});
