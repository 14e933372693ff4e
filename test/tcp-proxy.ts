/** A way to a server that fails as networks do: it can be cut, refuse, be slow, or fall silent with connections open. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface TcpProxy {
  port: number;
  /** Ends what is open and refuses what comes, until `restore`. */
  cut(): void;
  /** Keeps what is open, takes what comes, and passes nothing on, until `restore`. */
  stall(): void;
  /** What arrives is passed on so much later, piece by piece (64 KiB at most), until `restore`. */
  slow(milliseconds: number): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  let delayMs = 0;
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      // Pieces stay in their order when it gets quicker.
      let passed: Promise<unknown> | undefined;
      const inTurn = (pass: () => void): void => {
        if (passed === undefined && delayMs === 0) return pass();
        const turn = (passed ?? Promise.resolve()).then(() => wait(delayMs)).then(pass);
        passed = turn;
        void turn.then(() => {
          if (passed === turn) passed = undefined;
        });
      };
      socket.on('data', (chunk) => {
        if (delayMs > 0) socket.pause();
        inTurn(() => {
          other.write(chunk);
          if (state === 'open') socket.resume();
        });
      });
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        inTurn(() => other.destroy());
      });
      if (state === 'stalled') socket.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a TCP server that listens.
  const { port } = server.address() as AddressInfo;
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    cut() {
      state = 'cut';
      end();
    },
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    slow(milliseconds) {
      delayMs = milliseconds;
    },
    restore() {
      state = 'open';
      delayMs = 0;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      server.close();
      end();
      await once(server, 'close');
    },
  };
}
