/** Parts of views that load after the page. Each has a file of the build of its own. */
import { later, lateCode, once } from './late.ts';

/** Fetches the chart library with the first chart. */
export const fetchPlots = once(() => lateCode.fetch(() => import('../views/ui/usage/plots.ts')));

/** Fetches all screens of visitors except sign-in. */
export const fetchVisitorScreens = () => lateCode.fetch(() => import('../views/accounts/VisitorScreens.tsx'));

/** Fetches the contents of the code dialog, after the first paint. */
export const fetchCode = once(() => later(() => import('../views/playground/code.ts')));
