/**
 * Reports whether an element is in the document and has its content: at once, when something else removes it, such as
 * the browser's reader mode, and when it is back. A ref callback that returns its undo, which React calls before it
 * removes the element itself.
 * @param needed selector of the content
 */
export function watchPresence(
  needed: string,
  onChange: (isPresent: boolean) => void,
): (element: HTMLElement) => () => void {
  return (element) => {
    let known: boolean | undefined;
    const look = () => {
      const isPresent = element.isConnected && element.querySelector(needed) !== null;
      if (isPresent === known) return;
      known = isPresent;
      onChange(isPresent);
    };
    const changes = new MutationObserver(look);
    // Any ancestor may be removed with it.
    changes.observe(element.ownerDocument, { childList: true, subtree: true });
    look();
    return () => changes.disconnect();
  };
}
