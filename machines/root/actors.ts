import { fromCallback } from 'xstate';
import { promisePlaceholder } from '../shared/placeholder.ts';
import type { NavigateRequested } from '../shared/residents.ts';
import type { visitorMachine } from '../visitor/machine.ts';
import type { workspaceMachine } from '../workspace/machine.ts';

/** Fetches what only signed-in people need, so that the public pages stay light; `workspace` can start once it resolves. */
export const fetchConsole = promisePlaceholder<void>('fetchConsole');

// The chart itself comes with what is fetched; here its type is enough.
export const workspace = promisePlaceholder<void>('workspace') as unknown as typeof workspaceMachine;

/** Fetches the public screens besides sign-in, charts and views; `visitor` can start once it resolves. */
export const fetchVisitor = promisePlaceholder<void>('fetchVisitor');

// Fetched, too.
export const visitor = promisePlaceholder<void>('visitor') as unknown as typeof visitorMachine;

/** Asked for another address by whoever wants one, it has the root emit it: the router listens to nobody else. */
export const navigation = fromCallback<NavigateRequested>(({ receive, sendBack }) => receive(sendBack));
