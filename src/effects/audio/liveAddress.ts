import { LIVE_PATH } from '#contract/live.ts';
import { CONSOLE_HOST_LABEL, STREAMING_HOST_LABEL } from '#contract/settings.ts';

/**
 * The address of the live socket: the setting, if there is one. Else the page's address with ws for http, wss for
 * https, and the streaming label instead of a leading console label (LIV-16).
 */
export function liveAddress(pageUrl: URL, streamingUrl: string): string {
  if (streamingUrl) return streamingUrl;
  const [label, ...rest] = pageUrl.host.split('.');
  const host =
    label === CONSOLE_HOST_LABEL && rest.length > 0 ? [STREAMING_HOST_LABEL, ...rest].join('.') : pageUrl.host;
  return `${pageUrl.protocol === 'https:' ? 'wss' : 'ws'}://${host}${LIVE_PATH}`;
}
