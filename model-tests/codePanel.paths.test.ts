import { describe } from 'vitest';
import { codePanelMachine } from '#machines/playground/codePanel/machine.ts';
import { describeWalk } from './walk.ts';

describe('the settings as code', () => {
  describeWalk(codePanelMachine, {
    tags: { open: ['open'] },
    ignored: [
      { states: ['open'], events: ['code.requested'], why: 'It is open already' },
      { states: ['closed'], events: ['code.dismissed', 'language.selected'], why: 'It is closed' },
    ],
    cases: { 'language.selected': [{ type: 'language.selected', language: 'node' }] },
    distinguish: () => null,
  });
});
