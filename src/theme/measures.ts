import { SIDEBAR_FROM_PX } from '#machines/shared/viewport.ts';

/** CSS condition for style props: the window has room for the sidebar. */
export const WITH_SIDEBAR = `@media (width >= ${SIDEBAR_FROM_PX}px)`;
export const SIDEBAR_WIDTH = '260px';
export const TOP_BAR_HEIGHT = '56px';
/** The most that a page takes: a window of 1920 px beside the sidebar. */
export const PAGE_WIDTH = '1660px';
/** The most that a form takes, so that its lines stay readable. */
export const FORM_WIDTH = '720px';
