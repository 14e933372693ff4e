/** A tab of its own for an address that is not known yet. */
export type Tab = {
  /** Goes to the address; false where the browser has opened no tab. */
  show: (url: string) => boolean;
  close: () => void;
};

/**
 * Opens an empty tab at once: browsers allow it only in answer to a press, and what is shown in it may take longer than they
 * remember one.
 */
export function openTab(page: Pick<Window, 'open'> = window): Tab {
  const tab = page.open('', '_blank');
  // What is shown must not reach back into the console.
  if (tab) tab.opener = null;
  return {
    show: (url) => {
      if (!tab || tab.closed) return false;
      tab.location.replace(url);
      return true;
    },
    close: () => tab?.close(),
  };
}
