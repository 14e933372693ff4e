import type { NavigateRequested } from '../shared/appServices.ts';
import type { PlaygroundRoute } from '../shared/route.ts';

type At = Pick<PlaygroundRoute, 'orgUuid' | 'projectUuid'> & { route: PlaygroundRoute };

/** The playground's own address, with nothing opened; transcripts stay shown as they are. */
export function plainRoute({ orgUuid, projectUuid, route: { show, lines } }: At): PlaygroundRoute {
  return {
    screen: 'playground',
    orgUuid,
    projectUuid,
    mode: 'async',
    ...(show === undefined ? {} : { show }),
    ...(lines === undefined ? {} : { lines }),
  };
}

/** Asks for the address of something that is opened, or for the plain one. With a file a logged request can be tried. */
export const opening = (
  at: At,
  opened: Pick<PlaygroundRoute, 'fileId' | 'transcriptionId'> = {},
): NavigateRequested => ({
  type: 'navigate.requested',
  to: {
    ...plainRoute(at),
    ...(opened.transcriptionId === undefined && at.route.log !== undefined ? { log: at.route.log } : {}),
    ...opened,
  },
});
