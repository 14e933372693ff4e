import type { PlaygroundRoute } from '../../shared/route.ts';
import type { DisplayContext } from './display/machine.ts';

/** How the address wants transcripts to be shown. */
export const displayOf = ({ show, lines }: PlaygroundRoute): DisplayContext => ({
  option: show ?? 'everything',
  isSplit: lines ?? null,
});

/** The same address with transcripts shown that way; defaults are left out of it. */
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
