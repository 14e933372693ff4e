/**
 * Keeps a growing output scrolled to its end while the user is there (TRN-04). A ref callback for the element that
 * contains a `[data-scroller]` and, after it, a `[data-jump]` button; returns its undo. That element gets `data-away`
 * while the user has scrolled away, for styles that show the button. Not in a chart, because the state is only the
 * scroll position, and no chart needs it.
 */

/** Pixels from the bottom within which the user counts as at the end (TRN-04). */
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
  const updateFollowing = () => {
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
  const sizeObserver = new ResizeObserver(() => {
    knownHeight = scroller.scrollHeight;
    if (following) toEnd();
    else updateFollowing();
  });
  const watchContent = () => {
    sizeObserver.disconnect();
    for (const child of [scroller, ...scroller.children]) sizeObserver.observe(child);
  };
  const childObserver = new MutationObserver(watchContent);
  watchContent();
  childObserver.observe(scroller, { childList: true });
  scroller.addEventListener('scroll', updateFollowing, { passive: true });
  element.addEventListener('click', jump);
  return () => {
    sizeObserver.disconnect();
    childObserver.disconnect();
    scroller.removeEventListener('scroll', updateFollowing);
    element.removeEventListener('click', jump);
  };
}
