/** WCAG 1.4.11: what shows where a control is stands out from what is around it. axe checks text alone. */
import type { Page } from '@playwright/test';

/** 3:1, as the guideline asks; a little less for what rounding to whole colours takes. */
const LEAST = 2.99;

/** The fields, boxes, switches and bordered buttons on the page whose edge is fainter than that. Disabled ones are exempt. */
export function faintControls(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (!canvas) throw new Error('There is no canvas.');
    type Colour = [red: number, green: number, blue: number, alpha: number];
    const read = (css: string): Colour => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = ([r, g, b, a]: Colour, [red, green, blue]: Colour): Colour => [
      r * a + red * (1 - a),
      g * a + green * (1 - a),
      b * a + blue * (1 - a),
      1,
    ];
    const groundOf = (element: Element | null): Colour => {
      if (!element) return [255, 255, 255, 1];
      const own = read(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, groundOf(element.parentElement));
    };
    const luminance = (colour: Colour): number => {
      const [red = 0, green = 0, blue = 0] = colour
        .slice(0, 3)
        .map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one: Colour, other: Colour): number => {
      const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
      return (light + 0.05) / (dark + 0.05);
    };
    const isSeen = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 2 && height > 2 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    };
    const isDisabled = (element: Element) =>
      element.matches(':disabled, [aria-disabled=true], [data-disabled], [aria-busy=true]') ||
      element.closest('[data-disabled]') !== null;
    // Where Chakra hides a native box and draws beside it, the drawing counts.
    const controls = document.querySelectorAll(
      'input:not([type=file], [type=range], [type=radio]), select, textarea, button, [data-scope=radio-group][data-part=item-control], [data-scope=switch][data-part=control]',
    );
    const faults: string[] = [];
    for (const element of controls) {
      if (!isSeen(element) || isDisabled(element)) continue;
      const style = getComputedStyle(element);
      const isButton = element.matches('button');
      const border = read(style.borderTopColor);
      const isBordered =
        Number.parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== 'none' && border[3] > 0;
      // Words in a button show where it is; a line around it has to be seen, too.
      if (isButton && !isBordered) continue;
      const around = groundOf(element.parentElement);
      const edge = isBordered ? contrast(over(border, around), around) : 0;
      const best = Math.max(edge, contrast(groundOf(element), around));
      if (best < least)
        faults.push(
          `${element.tagName.toLowerCase()}${element.getAttribute('data-scope') ? `.${element.getAttribute('data-scope') ?? ''}` : ''} "${(element.getAttribute('aria-label') ?? element.getAttribute('name') ?? element.textContent ?? '').trim().slice(0, 30)}" ${best.toFixed(2)}:1`,
        );
    }
    return faults;
  }, LEAST);
}
