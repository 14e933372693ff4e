/** What the keys of a long text lead to. */
type Keys = {
  /** Opens the text's own search. */
  search: () => void;
  /** Scrolls to a row, the last one for Infinity; the browser only knows where rows not in the page may be. */
  goTo: (row: number) => void;
  /** The whole text, as it is to be pasted. */
  read: () => string;
};

/**
 * Keys of a text of which only a part is in the page: Home and End lead to its ends, Ctrl/Cmd+A selects it to be copied whole, Ctrl/Cmd+F opens its own
 * search, and Escape leads from there back to the text. For the element around a `[data-scroller]`, which has the text in
 * it, and a `[role=search]`. As a ref callback it returns its own undo.
 */
export function textKeys({ search, goTo, read }: Keys): (element: HTMLElement) => () => void {
  return (element) => {
    const scroller = element.querySelector<HTMLElement>('[data-scroller]');
    if (!scroller) throw new Error('There is no text.');
    const document = element.ownerDocument;
    const keyDown = (event: KeyboardEvent) => {
      const isInText = event.target instanceof Node && scroller.contains(event.target);
      if (event.key === 'Escape' && !isInText) scroller.focus({ preventScroll: true });
      if (event.altKey || event.shiftKey) return;
      if (isInText && (event.key === 'Home' || event.key === 'End')) {
        event.preventDefault();
        goTo(event.key === 'Home' ? 0 : Infinity);
      }
      if (!event.ctrlKey && !event.metaKey) return;
      // With Caps Lock on, it is the capital letter.
      const key = event.key.toLowerCase();
      if (key === 'a' && isInText) document.getSelection()?.selectAllChildren(scroller);
      else if (key === 'f') {
        search();
        element.querySelector<HTMLElement>('[role=search] input')?.focus();
      } else return;
      event.preventDefault();
    };
    // Rows come and go in a selection that is held by the scroller itself.
    const copy = (event: ClipboardEvent) => {
      const selection = document.getSelection();
      if (!selection || selection.isCollapsed || selection.anchorNode !== scroller || selection.focusNode !== scroller) return;
      event.clipboardData?.setData('text/plain', read());
      event.preventDefault();
    };
    element.addEventListener('keydown', keyDown);
    element.addEventListener('copy', copy);
    return () => {
      element.removeEventListener('keydown', keyDown);
      element.removeEventListener('copy', copy);
    };
  };
}
