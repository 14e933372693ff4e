import type { PlaygroundRoute } from '../../shared/route.ts';
import type { DisplayContext } from './display/machine.ts';

/** The display that the route asks for. */
export const displayOf = ({ show, lines }: PlaygroundRoute): DisplayContext => ({
  option: show ?? 'everything',
  isSplit: lines ?? null,
});

/** The route with this display; leaves out defaults. */
export function routeShowing(
  { show: _show, lines: _lines, ...route }: PlaygroundRoute,
  { option, isSplit }: DisplayContext,
): PlaygroundRoute {
  return {
    ...route,
    ...(option === 'everything' ? {} : { show: option }),
    ...(isSplit === null ? {} : { lines: isSplit }),
  };
}
