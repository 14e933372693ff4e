import type { ActorRefFrom } from 'xstate';
import { createPagedList } from '../../shared/pagedList/machine.ts';
import type { WebhookItem } from './actors.ts';

/** The deliveries of a project, newest first; `only` filters by state. */
export const deliveriesMachine = createPagedList<WebhookItem>('deliveries');

export type DeliveriesActor = ActorRefFrom<typeof deliveriesMachine>;
