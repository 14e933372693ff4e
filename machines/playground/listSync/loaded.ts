import * as v from 'valibot';
import { isMachineSnapshot, type AnyActorRef } from 'xstate';
import type { Loaded } from './actors.ts';

const List = v.object({ context: v.object({ items: v.array(v.unknown()) }) });

/** The number of rows in a library's lists. */
export function loadedIn(library: AnyActorRef): Loaded {
  const snapshot: unknown = library.getSnapshot();
  const rowsOf = (list: keyof Loaded): number => {
    const known = v.safeParse(List, isMachineSnapshot(snapshot) ? snapshot.children[list]?.getSnapshot() : undefined);
    return known.success ? known.output.context.items.length : 0;
  };
  return { files: rowsOf('files'), transcriptions: rowsOf('transcriptions') };
}
