import { raise } from 'xstate';
import { given } from '../../shared/given.ts';
import { setupPlayground } from '../setup.ts';

const changeTranslation = setupPlayground.createStateConfig({
  on: {
    'translation.toggled': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'targetLanguage.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageA.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageB.selected': {
      guard: given('isAllowed'),
      actions: [given('changeTranslation'), raise({ type: 'request.changed' })],
    },
  },
});

/** What the async settings panel edits. */
export const settings = setupPlayground.createStateConfig({
  on: {
    ...changeTranslation.on,
    'settings.changed': { actions: [given('patchSettings'), raise({ type: 'request.changed' })] },
    'model.selected': {
      guard: given('isOffered'),
      actions: [given('selectModel'), raise({ type: 'request.changed' })],
    },
  },
});
