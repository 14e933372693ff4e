// Models whether the browser is online. Owned by the workspace, which repeats failed reads once it is online again.
import { setup, type ActorRefFrom } from 'xstate';
import { notifyParent } from '../../shared/notifyParent.ts';
import { network, type NetworkEvent } from './actors.ts';

export type ConnectionNotice = { type: 'network.back' };

export const connectionMachine = setup({
  types: {} as { events: NetworkEvent; tags: 'offline'; children: { network: 'network' } },
  actors: { network },
  actions: { notifyParent: notifyParent<ConnectionNotice>() },
}).createMachine({
  id: 'connection',
  invoke: { id: 'network', src: 'network' },
  initial: 'online',
  states: {
    online: { on: { 'network.offline': 'offline' } },
    offline: {
      tags: 'offline',
      on: { 'network.back': { target: 'online', actions: { type: 'notifyParent', params: { type: 'network.back' } } } },
    },
  },
});

export type ConnectionActor = ActorRefFrom<typeof connectionMachine>;
