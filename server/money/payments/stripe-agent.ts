import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

/**
 * An agent for one request. It sends nothing unless `maySend` is true once the connection is open, however long the
 * process stood still while it connected.
 */
export function checkedAgent(
  maySend: () => boolean,
  { protocol = 'https', timeout }: { protocol?: string | undefined; timeout: number },
): http.Agent {
  const agent = protocol === 'http' ? new http.Agent() : new https.Agent();
  const opened = protocol === 'http' ? 'connect' : 'secureConnect';
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Both agents connect by sockets.
    const socket = connect(options) as Socket;
    const tooLong = (): unknown => socket.destroy(new Error('The connection took too long.'));
    // The request's own timeout begins when it has the socket.
    socket.setTimeout(timeout, tooLong);
    socket.once('error', (error) => callback?.(error, socket));
    socket.once(opened, () => {
      socket.setTimeout(0).off('timeout', tooLong);
      if (maySend()) callback?.(null, socket);
      else socket.destroy(new Error('The process stood still before it could send the request.'));
    });
    return undefined;
  };
  return agent;
}
