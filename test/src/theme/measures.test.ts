import { describe, expect, it } from 'vitest';
import { inRem, SIDEBAR_FROM_PX } from '#machines/shared/viewport.ts';
import { classes } from '#src/theme/classes.ts';
import { FORM_WIDTH, PAGE_WIDTH, SIDEBAR_WIDTH, WITH_SIDEBAR } from '#src/theme/measures.ts';

describe('UXP-91: the width of a page', () => {
  it('is what the sidebar leaves of 1920 px, on every screen', () => {
    const width = Number.parseInt(PAGE_WIDTH) + Number.parseFloat(SIDEBAR_WIDTH) * 16;
    expect(width).toBe(1920);
    expect(classes()).toMatchObject({ '&.page': { maxWidth: PAGE_WIDTH } });
  });

  it('leaves the lines of a form readable', () => {
    expect(Number.parseInt(FORM_WIDTH)).toBeLessThan(Number.parseInt(PAGE_WIDTH) / 2);
  });
});

it('SHL-01: the stylesheet shows the sidebar from the width at which the chart closes the drawer', () => {
  expect(WITH_SIDEBAR).toBe(`@media (width >= ${inRem(SIDEBAR_FROM_PX)})`);
});
