import { describe } from 'vitest';
import { codePanelMachine } from '#machines/playground/codePanel/machine.ts';
import { describeWalk } from './walk.ts';

describe('the settings as code', () => {
  describeWalk(codePanelMachine, { cases: { 'language.selected': [{ type: 'language.selected', language: 'node' }] }, distinguish: () => null });
});
