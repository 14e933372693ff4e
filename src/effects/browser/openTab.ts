/** A tab opened before its address is known. */
export type Tab = {
  /** Goes to the address; false if the browser opened no tab, or the user closed it. */
  show: (url: string) => boolean;
  close: () => void;
};

/**
 * Opens an empty tab at once: browsers allow that only shortly after a press, and the address may take longer.
 */
export function openTab(page: Pick<Window, 'open'> = window): Tab {
  const tab = page.open('', '_blank');
  // The opened page must not reach the console.
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
