import { CONSOLE_HOST_LABEL, STREAMING_HOST_LABEL } from '#contract/settings.ts';
import type { Services } from '../platform/context.ts';

/** Hash of the empty string: the style library adds empty style elements, and fills them by script. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/**
 * The content security policy of the console's pages.
 * @param host the Host header, for the socket's origin: 'self' does not cover ws: in every browser
 * @param dev allows what hot reload needs: style elements, and a socket from a blob: worker
 */
export function consolePolicy(
  services: Services,
  { nonce, host, dev }: { nonce: string; host: string; dev: boolean },
): string {
  const { speechBaseUrl, streamingUrl } = services.config;
  const elsewhere = speechBaseUrl === '' ? [] : [new URL(speechBaseUrl).origin];
  const sockets = dev
    ? ['ws:']
    : [
        ...socketOrigins(host, services.publicUrl().startsWith('https:') ? 'wss' : 'ws'),
        ...(streamingUrl === '' ? [] : [new URL(streamingUrl).origin]),
      ];
  const policy: Record<string, string[]> = {
    'default-src': ["'self'"],
    'script-src': ["'self'", `'nonce-${nonce}'`],
    'style-src': dev ? ["'self'", "'unsafe-inline'"] : ["'self'", `'nonce-${nonce}'`, EMPTY_STYLE],
    'connect-src': ["'self'", ...sockets, ...elsewhere],
    'media-src': ["'self'", 'blob:', ...elsewhere],
    'img-src': ["'self'", 'data:'],
    'worker-src': dev ? ["'self'", 'blob:'] : ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'form-action': ["'self'"],
  };
  return Object.entries(policy)
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

/** Origins for live sockets: the page's host and, if its name begins with the console's label, the streaming host. */
function socketOrigins(host: string, scheme: 'ws' | 'wss'): string[] {
  if (!/^[a-z0-9.\-[\]:]+$/i.test(host)) return [];
  const origin = `${scheme}://${host}`;
  const label = `${CONSOLE_HOST_LABEL}.`;
  return host.startsWith(label)
    ? [origin, `${scheme}://${STREAMING_HOST_LABEL}.${host.slice(label.length)}`]
    : [origin];
}
