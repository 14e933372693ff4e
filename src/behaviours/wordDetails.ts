/**
 * One tooltip for all words of a transcript, because one for each would be slow. For the element around the words and
 * a `[role=tooltip]`; words have its text in `data-details`. Shows it on hover, touch and focus; the arrow keys move
 * from word to word. Not in a chart, because pointer and focus decide, which the browser knows. A ref callback that
 * returns its undo.
 */
const WORD = '[data-details]';
/** Pixels that the tooltip keeps from the edges of the window. */
const MARGIN_PX = 8;

export function wordDetails(element: HTMLElement): () => void {
  const found = element.querySelector<HTMLElement>('[role=tooltip]');
  if (!found) throw new Error('No [role=tooltip] in this element.');
  const tooltip = found;
  let shown: HTMLElement | null = null;

  const show = (word: HTMLElement) => {
    if (word === shown) return;
    shown?.removeAttribute('aria-describedby');
    shown = word;
    tooltip.textContent = word.dataset['details'] ?? '';
    tooltip.hidden = false;
    word.setAttribute('aria-describedby', tooltip.id);
    place(tooltip, word);
  };
  const hide = () => {
    shown?.removeAttribute('aria-describedby');
    shown = null;
    tooltip.hidden = true;
  };
  const focused = () => wordAt(element.ownerDocument.activeElement);

  const over = ({ target }: Event) => {
    const word = wordAt(target);
    if (word) show(word);
    else if (target !== tooltip) leave();
  };
  const left = ({ pointerType }: PointerEvent) => {
    // A finger leaves as soon as it has touched.
    if (pointerType !== 'touch') leave();
  };
  const clicked = (event: MouseEvent) => {
    // A touch focuses the text around the word, but the touched word counts.
    if (event instanceof PointerEvent && event.pointerType === 'touch') over(event);
  };
  const leave = () => {
    const word = focused();
    if (word && element.contains(word)) show(word);
    else hide();
  };
  const pressed = ({ target }: Event) => {
    loosen(focused());
    if (!(target instanceof Node && element.contains(target))) hide();
  };
  const focusOut = ({ target }: Event) => {
    loosen(wordAt(target));
    hide();
  };
  const focusIn = ({ target }: Event) => {
    const word = wordAt(target);
    if (word) show(word);
    else hide();
  };
  const scroll = () => {
    if (shown && shown === focused()) place(tooltip, shown);
    else hide();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && shown) {
      event.stopPropagation();
      hide();
      return;
    }
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = neighbour(element, focused(), step);
    if (!next) return;
    event.preventDefault();
    next.tabIndex = -1;
    next.focus();
  };

  element.addEventListener('pointerover', over);
  element.addEventListener('pointerleave', left);
  element.ownerDocument.addEventListener('pointerdown', pressed);
  element.addEventListener('click', clicked);
  element.addEventListener('focusin', focusIn);
  element.addEventListener('focusout', focusOut);
  element.addEventListener('keydown', keyDown);
  element.addEventListener('scroll', scroll, { capture: true, passive: true });
  return () => {
    element.removeEventListener('pointerover', over);
    element.removeEventListener('pointerleave', left);
    element.ownerDocument.removeEventListener('pointerdown', pressed);
    element.removeEventListener('click', clicked);
    element.removeEventListener('focusin', focusIn);
    element.removeEventListener('focusout', focusOut);
    element.removeEventListener('keydown', keyDown);
    element.removeEventListener('scroll', scroll, { capture: true });
  };
}

/** Makes a word unfocusable again: in Chromium no selection can be dragged from a focusable word. */
const loosen = (word: HTMLElement | null) => word?.removeAttribute('tabindex');

const wordAt = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>(WORD) : null);

/** The next word in the direction of the arrow; if no word has the focus, the first one in view. */
function neighbour(element: HTMLElement, from: HTMLElement | null, step: 1 | -1): HTMLElement | undefined {
  const words = [...element.querySelectorAll<HTMLElement>(WORD)];
  const index = from ? words.indexOf(from) : -1;
  if (from && index >= 0) {
    const isRightToLeft = getComputedStyle(from).direction === 'rtl';
    return words[index + (isRightToLeft ? -step : step)];
  }
  const { top } = element.getBoundingClientRect();
  return words.find((word) => word.getBoundingClientRect().top >= top);
}

/** Puts the tooltip above the word, or below it if there is no room, and inside the window. */
function place(tooltip: HTMLElement, word: HTMLElement): void {
  const anchor = word.getBoundingClientRect();
  const { width, height } = tooltip.getBoundingClientRect();
  const room = word.ownerDocument.documentElement.clientWidth - width - MARGIN_PX;
  const left = Math.max(MARGIN_PX, Math.min(anchor.left + anchor.width / 2 - width / 2, room));
  const top = anchor.top - height < MARGIN_PX ? anchor.bottom : anchor.top - height;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}
