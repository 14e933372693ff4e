import { describe } from 'vitest';
import { shellMachine } from '#machines/shell/machine.ts';
import { describeWalk } from './walk.ts';

describe('shell', () => {
  describeWalk(shellMachine, {
    cases: {
      'route.changed': [{ type: 'route.changed', route: { screen: 'user' } }],
      'switcher.requested': [
        { type: 'switcher.requested', switcher: 'organization' },
        { type: 'switcher.requested', switcher: 'project' },
      ],
      'search.changed': [{ type: 'search.changed', query: 'acme' }],
    },
    distinguish: (snapshot) => snapshot.context.query,
  });
});
