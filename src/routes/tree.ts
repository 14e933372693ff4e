import { rootRoute } from './base.tsx';
import { consoleRoutes } from './console.tsx';
import { publicRoutes } from './public.tsx';

/** Every route of the page. */
export const routeTree = rootRoute.addChildren([...publicRoutes, consoleRoutes]);
