/** Heights of a chart in pixels, fixed so that nothing moves when it appears. */
export const PLOT_HEIGHT = 200;
/** The `order` of totals: in narrow windows they stand below the first chart, which thus is within the first screen. */
export const AFTER_CHART = { base: 1, md: 0 } as const;
/** Room for the upper half of the topmost tick label. */
export const CHART_MARGIN_TOP = 8;
export const LABELS_HEIGHT = 24;
export const CHART_HEIGHT = CHART_MARGIN_TOP + PLOT_HEIGHT + LABELS_HEIGHT;
