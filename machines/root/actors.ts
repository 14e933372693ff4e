import { promisePlaceholder } from '../placeholder.ts';
import type { workspaceMachine } from '../workspace/machine.ts';

/** Fetches what only signed-in people need, so that the public pages stay light; `workspace` can start once it resolves. */
export const fetchConsole = promisePlaceholder<void>('fetchConsole');

// The chart itself comes with what is fetched; here its type is enough.
export const workspace = promisePlaceholder<void>('workspace') as unknown as typeof workspaceMachine;
