/** What all screens of the console have the same. */
import type { Page } from '@playwright/test';

/** The look of each kind of thing, as often as it differs; and what begins beside the left edge that the heading has. */
export type Looks = Record<'width' | 'heading' | 'head' | 'cell' | 'astray', string[]>;

/** What kinds of things look like on the page, inside of its main part. */
export function looksOf(page: Page): Promise<Looks> {
  return page.evaluate(() => {
    const main = document.querySelector('main#content');
    const looks = (selector: string, properties: readonly string[]) => {
      // What is code has the type of code.
      const found = [...(main?.querySelectorAll(selector) ?? [])].filter(
        (element) => element.checkVisibility() && !/mono/i.test(getComputedStyle(element).fontFamily),
      );
      return [
        ...new Set(
          found.map((element) => properties.map((name) => getComputedStyle(element).getPropertyValue(name)).join(' ')),
        ),
      ];
    };
    const type = ['font-size', 'font-weight', 'line-height', 'color'];
    const edge = main?.querySelector('h1')?.getBoundingClientRect().left ?? 0;
    const boxes = [...(main?.querySelectorAll('*') ?? [])].filter((element) => {
      const { borderLeftWidth, borderLeftStyle } = getComputedStyle(element);
      return element.checkVisibility() && borderLeftWidth !== '0px' && borderLeftStyle !== 'none';
    });
    const outermost = boxes.filter((box) => !boxes.some((other) => other !== box && other.contains(box)));
    const near = 24;
    return {
      width: main ? [`${main.getBoundingClientRect().width} px`] : [],
      heading: looks('h1', [...type, 'letter-spacing']),
      head: looks('[role=table] [role=columnheader]', type),
      cell: looks('[role=table] [role=cell]', ['font-size', 'line-height', 'vertical-align']),
      astray: outermost
        .map((box) => [box, box.getBoundingClientRect().left - edge] as const)
        .filter(([, off]) => Math.abs(off) > 0.5 && off < near)
        .map(
          ([box, off]) => `${box.tagName} "${(box.textContent ?? '').slice(0, 40)}" begins ${off} px beside the edge`,
        ),
    };
  });
}
