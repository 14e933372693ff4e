import { raise } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';
import { setupAsync } from '../setup.ts';

/** Told because the settings that were in the panel are gone. */
export const REUSED = 'Settings of the failed request are in the panel.';

const changeTranslation = setupAsync.createStateConfig({
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
export const settings = setupAsync.createStateConfig({
  on: {
    ...changeTranslation.on,
    'settings.changed': { actions: [withEvent('patchSettings'), raise({ type: 'request.changed' })] },
    'request.reused': {
      actions: [
        withEvent('reuseRequest'),
        raise({ type: 'panel.selected', panel: 'settings' }),
        { type: 'notifyParent', params: { type: 'panel.requested', by: 'person' } },
        { type: 'sendToApp', params: { type: 'toast.requested', kind: 'success', text: REUSED } },
      ],
    },
    'model.selected': {
      guard: withEvent('isOffered'),
      actions: [withEvent('selectModel'), raise({ type: 'request.changed' })],
    },
  },
});
