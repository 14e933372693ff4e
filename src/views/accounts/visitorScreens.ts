/** Fetches the screens of visitors besides sign-in. A fetch that failed may be tried again. */
export const fetchVisitorScreens = () => import('./VisitorScreens.tsx');
