/** Below it the sidebar is a drawer. */
const SIDEBAR_FROM = '900px';
/** CSS conditions for style props. */
export const WITH_SIDEBAR = `@media (width >= ${SIDEBAR_FROM})`;
export const SIDEBAR_WIDTH = '260px';
export const TOP_BAR_HEIGHT = '56px';
