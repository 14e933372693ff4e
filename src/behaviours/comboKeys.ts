/** Actions of the keys of a combobox. */
type Keys = {
  /** Up (-1) and Down (1), among `count` rows. */
  step: (by: 1 | -1, count: number) => void;
  /** Enter; without it, the active row is clicked. */
  choose?: () => void;
  /** Ctrl-K, if that opened it. */
  close?: () => void;
};

/**
 * Keys of a field with a list of `[role=option]` below it: Up and Down go round the rows, Enter chooses the active
 * one. Scrolls the active row into view; the focus stays in the field. A ref callback for the element around both,
 * that returns its undo.
 */
export function comboKeys({ step, choose, close }: Keys): (element: HTMLElement) => () => void {
  return (element) => {
    const active = () => element.querySelector<HTMLElement>('[role=option][aria-selected=true]');
    const act = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
      const count = element.querySelectorAll('[role=option]').length;
      if (key === 'ArrowDown' || key === 'ArrowUp') step(key === 'ArrowDown' ? 1 : -1, count);
      else if (key === 'Enter') (choose ?? (() => active()?.click()))();
      else if (close && key.toLowerCase() === 'k' && (ctrlKey || metaKey)) close();
      else return false;
      return true;
    };
    const keyDown = (event: KeyboardEvent) => {
      // Enter also ends what an input method composes.
      if (!event.isComposing && act(event)) event.preventDefault();
    };
    const show = () => active()?.scrollIntoView({ block: 'nearest' });
    const shown = new MutationObserver(show);
    shown.observe(element, { subtree: true, attributes: true, attributeFilter: ['aria-selected'] });
    element.addEventListener('keydown', keyDown);
    show();
    return () => {
      shown.disconnect();
      element.removeEventListener('keydown', keyDown);
    };
  };
}
