/** What a narrow window does to a screen. */
import type { Page } from '@playwright/test';

/** What of the page is cut, out of the window, or makes it scroll sideways; and names that share the direction of the words around them. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const faults: string[] = [];
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}"`;
    const isSeen = (element: Element) => {
      const { width: wide, height } = element.getBoundingClientRect();
      // What is for screen readers only is clipped to nothing.
      const { clip } = getComputedStyle(element);
      return (
        wide > 1 &&
        height > 1 &&
        !clip.startsWith('rect(0') &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      );
    };
    /** Inside of something that scrolls by itself, has a name and takes the focus. */
    const scrolls = (element: Element) => {
      const scroller = element.closest('[tabindex="0"][aria-label], [tabindex="0"][aria-labelledby]');
      return (
        scroller !== null && scroller !== element && ['auto', 'scroll'].includes(getComputedStyle(scroller).overflowX)
      );
    };
    if (document.documentElement.scrollWidth > width)
      faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    for (const element of document.querySelectorAll(
      'a, button, input, select, textarea, [role=button], [role=tab], [role=option], h1, h2, h3, p, li, td, dd',
    )) {
      if (!isSeen(element) || scrolls(element)) continue;
      const { left, right } = element.getBoundingClientRect();
      if (left < -0.5 || right > width + 0.5) faults.push(`${nameOf(element)} reaches from ${left} to ${right}`);
    }
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (!isSeen(element) || scrolls(element) || element.closest('svg')) continue;
      const { overflowX, textOverflow, display } = getComputedStyle(element);
      const exceeds =
        element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && !display.startsWith('inline');
      if (!exceeds) continue;
      // An ellipsis tells that there is more, and the tooltip what.
      if (textOverflow === 'ellipsis' && element.closest('[title], [aria-label]')) continue;
      const isButton = element.matches('button, a, label');
      if (['hidden', 'clip'].includes(overflowX) && !element.matches('input, textarea, select'))
        faults.push(`${nameOf(element)} is cut: ${element.scrollWidth} px in ${element.clientWidth}`);
      else if (isButton && overflowX === 'visible')
        faults.push(`${nameOf(element)} overflows: ${element.scrollWidth} px in ${element.clientWidth}`);
    }
    // The page that one is on is read in full, whatever it is in (UXP-69).
    for (const crumb of document.querySelectorAll('nav[aria-label=Breadcrumb] span[aria-current=page]'))
      if (crumb.scrollWidth > crumb.clientWidth) faults.push(`${nameOf(crumb)} ends the breadcrumb, and is cut`);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const around = text.parentElement;
      if (around && /[\u0590-\u06ff]/.test(text.nodeValue ?? '') && !around.closest('script, style, bdi, [dir=auto]'))
        faults.push(`"${(text.nodeValue ?? '').slice(0, 60)}" has no direction of its own`);
    }
    return faults;
  });
}
