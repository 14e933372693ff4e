/**
 * Reports whether an element is in the document and has its content: at once, when something else removes it, such as
 * the browser's reader mode, and when it is back. A ref callback that returns its undo, which React calls before it
 * removes the element itself.
 * @param needed selector of the content
 */
export function watchStanding(
  needed: string,
  onChange: (isStanding: boolean) => void,
): (element: HTMLElement) => () => void {
  return (element) => {
    let known: boolean | undefined;
    const look = () => {
      const isStanding = element.isConnected && element.querySelector(needed) !== null;
      if (isStanding === known) return;
      known = isStanding;
      onChange(isStanding);
    };
    const changes = new MutationObserver(look);
    // Any ancestor may be removed with it.
    changes.observe(element.ownerDocument, { childList: true, subtree: true });
    look();
    return () => changes.disconnect();
  };
}
