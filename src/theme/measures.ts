import { SIDEBAR_FROM_PX } from '#machines/shared/viewport.ts';

/** CSS condition for style props: the window has room for the sidebar. */
export const WITH_SIDEBAR = `@media (width >= ${SIDEBAR_FROM_PX}px)`;
export const SIDEBAR_WIDTH = '260px';
export const TOP_BAR_HEIGHT = '56px';
