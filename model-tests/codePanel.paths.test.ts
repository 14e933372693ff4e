import { describe } from 'vitest';
import { codePanelMachine } from '#machines/playground/codePanel/machine.ts';
import { describeWalk } from './walk.ts';

describe('the settings as code', () => {
  describeWalk(codePanelMachine, {
    tags: { open: ['open'] },
    ignored: {
      'It is open already': 'code.requested in open',
      'It is closed': 'code.dismissed, language.selected in closed',
    },
    cases: { 'language.selected': [{ language: 'node' }] },
    distinguish: () => null,
  });
});
