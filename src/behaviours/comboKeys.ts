/** What a combobox is told by its keys. */
type Rows = { send: (event: { type: 'row.stepped'; by: number; count: number } | { type: 'palette.dismissed' }) => void };

/**
 * The keys of a field with a list of `[role=option]` below it: Up and Down lead round the rows, Enter chooses the active
 * one, and the active row is kept in sight. The keys that open it close it again. The focus stays in the field. For the
 * element around both; as a ref callback it returns its own undo.
 */
export function comboKeys(rows: Rows): (element: HTMLElement) => () => void {
  return (element) => {
    const active = () => element.querySelector<HTMLElement>('[role=option][aria-selected=true]');
    const act = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
      const count = element.querySelectorAll('[role=option]').length;
      if (key === 'ArrowDown' || key === 'ArrowUp') rows.send({ type: 'row.stepped', by: key === 'ArrowDown' ? 1 : -1, count });
      else if (key === 'Enter') active()?.click();
      else if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) rows.send({ type: 'palette.dismissed' });
      else return false;
      return true;
    };
    const keyDown = (event: KeyboardEvent) => {
      // Enter also ends what an input method composes.
      if (!event.isComposing && act(event)) event.preventDefault();
    };
    const shown = new MutationObserver(() => active()?.scrollIntoView({ block: 'nearest' }));
    shown.observe(element, { subtree: true, attributes: true, attributeFilter: ['aria-selected'] });
    element.addEventListener('keydown', keyDown);
    return () => {
      shown.disconnect();
      element.removeEventListener('keydown', keyDown);
    };
  };
}
