import { createServer, type Server } from 'node:http';
import type { Services } from '../platform/context.ts';
import { hostName, isLoopbackHost } from '../platform/loopback.ts';
import { StartError } from '../platform/start-error.ts';

/**
 * Answers `/metrics` for Prometheus on a port of its own, so that clients of the server cannot read them. Stops after
 * streams and requests. @returns the port; undefined if the settings name none
 */
export async function serveMetrics({ config, meters, log, closing }: Services): Promise<number | undefined> {
  if (config.metrics === undefined) return undefined;
  const { host, port } = config.metrics;
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    // On loopback, a foreign host name means DNS rebinding.
    if (isLoopbackHost(host) && !isLoopbackHost(hostName(request.headers.host))) return answer(421, 'text/plain', '');
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') return answer(404, 'text/plain', '');
    meters.scrape().then(
      ({ type, body }) => answer(200, type, body),
      (error: unknown) => {
        log.error({ err: error }, 'metrics could not be collected');
        answer(500, 'text/plain', '');
      },
    );
  });
  await listening(server, host, port);
  closing.add('engine', 'metrics', () => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`Metrics cannot listen at METRICS_PORT ${port} of METRICS_HOST ${host}: ${reason}.`, {
      cause: error,
    });
  }
}
