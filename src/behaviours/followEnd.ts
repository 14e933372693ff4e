/**
 * Keeps a growing output scrolled to its end while the user is there (TRN-04). For the element around a
 * `[data-scroller]` and a `[data-jump]` button after it; has `data-away` while the user has scrolled away, for styles
 * to show the button. Not in a chart, because only the scroll position tells, and nothing else asks. A ref callback
 * that returns its undo.
 */

/** Pixels from the bottom within which the user counts as at the end (spec §9). */
const FOLLOW_WITHIN_PX = 100;

export function followEnd(element: HTMLElement): () => void {
  const scroller = element.querySelector<HTMLElement>('[data-scroller]');
  if (!scroller) throw new Error('No [data-scroller] in this element.');
  let following = true;
  /** Height at the last look, so that unseen growth does not count as scrolling away. */
  let knownHeight = scroller.scrollHeight;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
  };
  const judge = () => {
    following = knownHeight - scroller.scrollTop - scroller.clientHeight <= FOLLOW_WITHIN_PX;
    element.toggleAttribute('data-away', !following);
  };
  const jump = ({ target }: Event) => {
    if (!(target instanceof Element) || !target.closest('[data-jump]')) return;
    following = true;
    toEnd();
    // The button disappears, so the text takes the focus.
    scroller.focus({ preventScroll: true });
  };
  const sizes = new ResizeObserver(() => {
    knownHeight = scroller.scrollHeight;
    if (following) toEnd();
    else judge();
  });
  const watchContent = () => {
    sizes.disconnect();
    for (const child of [scroller, ...scroller.children]) sizes.observe(child);
  };
  const children = new MutationObserver(watchContent);
  watchContent();
  children.observe(scroller, { childList: true });
  scroller.addEventListener('scroll', judge, { passive: true });
  element.addEventListener('click', jump);
  return () => {
    sizes.disconnect();
    children.disconnect();
    scroller.removeEventListener('scroll', judge);
    element.removeEventListener('click', jump);
  };
}
