import { request, type IncomingMessage, type RequestOptions } from 'node:http';

/** The head of an answer to what fetch cannot send: another Host, or a handshake. */
export const rawRequest = (url: string, options: RequestOptions = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, options, (answer) => resolve(answer.resume()))
      .on('error', reject)
      .end();
  });

export const HANDSHAKE = { connection: 'Upgrade', upgrade: 'websocket' };
