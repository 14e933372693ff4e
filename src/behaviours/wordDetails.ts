/**
 * One tooltip for all words of a transcript: a tooltip each would cost more than the words. For the element around them
 * and a `[role=tooltip]`; words carry their text in `data-details`. Shows on hover, on touch and on focus: the arrow keys
 * go from word to word. Not in a chart: which word is described follows from pointer and focus, which the browser keeps.
 * As a ref callback it returns its own undo.
 */
const WORD = '[data-details]';
/** Pixels that the tooltip keeps from the edges of the window. */
const MARGIN_PX = 8;

export function wordDetails(element: HTMLElement): () => void {
  const found = element.querySelector<HTMLElement>('[role=tooltip]');
  if (!found) throw new Error('There is no tooltip to fill.');
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
    // A finger has gone as soon as it has touched.
    if (pointerType !== 'touch') leave();
  };
  const clicked = (event: MouseEvent) => {
    // After a touch the focus goes to the text around the word; what was touched counts.
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

/** A word can have the focus only while it has it: in Chromium no selection can be dragged from what a press would focus. */
const loosen = (word: HTMLElement | null) => word?.removeAttribute('tabindex');

const wordAt = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>(WORD) : null);

/** The word to go to: the next one in the direction of the arrow, else the first one in sight. */
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

/** Above the word, or below it where there is no room; never out of the window. */
function place(tooltip: HTMLElement, word: HTMLElement): void {
  const anchor = word.getBoundingClientRect();
  const { width, height } = tooltip.getBoundingClientRect();
  const room = word.ownerDocument.documentElement.clientWidth - width - MARGIN_PX;
  const left = Math.max(MARGIN_PX, Math.min(anchor.left + anchor.width / 2 - width / 2, room));
  const top = anchor.top - height < MARGIN_PX ? anchor.bottom : anchor.top - height;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${top}px`;
}
