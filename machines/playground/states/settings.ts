import { raise } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';
import { setupPlayground } from '../setup.ts';

const changeTranslation = setupPlayground.createStateConfig({
  on: {
    'translation.toggled': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'targetLanguage.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageA.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), raise({ type: 'request.changed' })],
    },
    'languageB.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), raise({ type: 'request.changed' })],
    },
  },
});

/** What the async settings panel edits. */
export const settings = setupPlayground.createStateConfig({
  on: {
    ...changeTranslation.on,
    'settings.changed': { actions: [withEvent('patchSettings'), raise({ type: 'request.changed' })] },
    'model.selected': {
      guard: withEvent('isOffered'),
      actions: [withEvent('selectModel'), raise({ type: 'request.changed' })],
    },
  },
});
