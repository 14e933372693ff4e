import { describe } from 'vitest';
import { switcherMachine } from '#machines/switcher/machine.ts';
import { describeWalk } from './walk.ts';

describe('switcher', () => {
  describeWalk(switcherMachine, {
    cases: {
      'switcher.requested': [
        { type: 'switcher.requested', switcher: 'organization' },
        { type: 'switcher.requested', switcher: 'project' },
      ],
      'search.changed': [{ type: 'search.changed', query: 'acme' }],
    },
    distinguish: (snapshot) => snapshot.context.query,
  });
});
