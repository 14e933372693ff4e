/** CSS condition for style props: the window has room for the sidebar. */
export const WITH_SIDEBAR = '@media (width >= 56.25rem)';
export const SIDEBAR_WIDTH = '16.25rem';
export const TOP_BAR_HEIGHT = '3.5rem';
/** The most that a page takes: a window of 1920 px beside the sidebar. */
export const PAGE_WIDTH = '1660px';
/** The most that a form takes, so that its lines stay readable. */
export const FORM_WIDTH = '720px';
