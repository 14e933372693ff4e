import { expect, it, vi } from 'vitest';
import { firstInvalid } from '../../src/behaviours/firstInvalid.ts';

/** A form whose attributes can be changed; the observer hears only of those that it asked for. */
function formWith(invalid: { focus: () => void } | null) {
  let heard = (_attribute: string): void => undefined;
  const disconnect = vi.fn();
  vi.stubGlobal(
    'MutationObserver',
    class {
      constructor(listener: () => void) {
        this.observe = (_form, { attributeFilter = [] }) => {
          heard = (attribute) => {
            if (attributeFilter.includes(attribute)) listener();
          };
        };
      }
      observe: (form: unknown, options: MutationObserverInit) => void;
      disconnect = disconnect;
    },
  );
  const undo = firstInvalid({ querySelector: () => invalid, addEventListener: () => undefined } as never);
  return { change: (attribute: string) => heard(attribute), disconnect, undo };
}

it('ORG-02: the first invalid field takes the focus after each refused submit, also with the same error', () => {
  const field = { focus: vi.fn() };
  const { change, undo, disconnect } = formWith(field);
  change('data-refusals');
  expect(field.focus).toHaveBeenCalledTimes(1);
  change('data-refusals');
  expect(field.focus).toHaveBeenCalledTimes(2);
  // An error that comes or goes in between moves nobody.
  change('aria-invalid');
  expect(field.focus).toHaveBeenCalledTimes(2);
  undo();
  expect(disconnect).toHaveBeenCalledOnce();
});

it('ORG-02: a refusal that is about no field leaves the focus where it is', () => {
  const { change } = formWith(null);
  expect(() => change('data-refusals')).not.toThrow();
});
