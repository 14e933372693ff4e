/**
 * Tells whether an element stands in the document with what it cannot do without: at once, when somebody else takes it out, such as a
 * reader mode of the browser, and when it is back. As a ref callback it returns its own undo, which React calls before it takes the
 * element out itself.
 * @param needed a selector of what is inside it
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
    // All that is around it can go with it, up to the root element.
    changes.observe(element.ownerDocument, { childList: true, subtree: true });
    look();
    return () => changes.disconnect();
  };
}
