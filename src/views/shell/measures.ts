import { SIDEBAR_FROM_PX } from '#machines/shared/viewport.ts';

/** CSS conditions for style props. */
export const WITH_SIDEBAR = `@media (width >= ${SIDEBAR_FROM_PX}px)`;
export const SIDEBAR_WIDTH = '260px';
export const TOP_BAR_HEIGHT = '56px';
