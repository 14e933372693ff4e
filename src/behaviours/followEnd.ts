/**
 * Keeps a growing output at its end while the user is there (TRN-04). For the element around a `[data-scroller]` and,
 * after it, a `[data-jump]` button; the element carries `data-away` while the user has scrolled away, for styles to show
 * the button. Not in a chart: whether the user is at the end is read off the scroll position, which only the browser knows
 * and changes with each frame, and no other part of the console asks. As a ref callback it returns its own undo.
 */

/** Pixels from the bottom within which the end is followed (spec §9). */
const FOLLOW_WITHIN_PX = 100;

export function followEnd(element: HTMLElement): () => void {
  const scroller = element.querySelector<HTMLElement>('[data-scroller]');
  if (!scroller) throw new Error('There is nothing to scroll.');
  let following = true;
  /** As last followed or judged: growth that the user has not seen when scrolling does not count as their going away. */
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
    // The button is about to disappear; the keyboard goes on in the text.
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
