/** Mail servers for tests: a real one on loopback that does as told, and one that takes connections and says nothing. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Received {
  to: string[];
  from: string;
  /** Headers and body, with quoted-printable undone. */
  source: string;
}

export interface PostOffice {
  port: number;
  received: Received[];
  /** Recipients that it was asked to take, refused ones among them. */
  asked: string[];
  close(): Promise<void>;
}

/** What it says to a recipient: an SMTP code that refuses, or undefined to take it. */
type Answer = (recipient: string) => number | undefined;

/** A mail server. @param port a free one by default */
export async function openPostOffice({
  answer = () => undefined,
  sender = () => undefined,
  port = 0,
  password,
}: { answer?: Answer; sender?: () => Error | undefined; port?: number; password?: string } = {}): Promise<PostOffice> {
  const received: Received[] = [];
  const asked: string[] = [];
  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: 'console' }) : done(new Error('Wrong password')),
    onMailFrom: (_address, _session, done) => done(sender()),
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      const code = answer(address);
      done(code === undefined ? null : Object.assign(new Error(`No mailbox for ${address}`), { responseCode: code }));
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const chunks: Buffer[] = [];
      stream
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const source = Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
          received.push({
            to: rcptTo.map(({ address }) => address),
            from: mailFrom === false ? '' : mailFrom.address,
            source,
          });
          done();
        });
    },
  });
  // A client that goes in the middle is no fault of the server's.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    received,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Takes connections and never says a word. */
export async function openSilentServer(): Promise<{
  port: number;
  connections: () => number;
  close: () => Promise<void>;
}> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
