import type { SnapshotFrom } from 'xstate';
import type { socketMachine } from './machine.ts';

/**
 * Whether the server answers (LVP-10). `awaited`: its first message is late, so it may still be starting its recognizer;
 * `silent`: it has answered before.
 */
export type Answering = 'answers' | 'awaited' | 'silent';

export function answeringOf(socket: SnapshotFrom<typeof socketMachine>): Answering {
  if (!socket.hasTag('quiet')) return 'answers';
  return socket.context.isAnswered ? 'silent' : 'awaited';
}
