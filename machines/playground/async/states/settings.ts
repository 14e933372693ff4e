import { raise } from 'xstate';
import type { Transcription } from '#contract/transcriptions.ts';
import { withEvent } from '../../../shared/withEvent.ts';
import { setupAsync } from '../setup.ts';

/** Told because the settings that were in the panel are gone, and the panel has not all that was asked for. */
function reusedText({ webhook_url, client_reference_id }: Transcription): string {
  const left = [...(webhook_url === null ? [] : ['webhook']), ...(client_reference_id === null ? [] : ['reference'])];
  const text = 'Settings of the failed request are in the panel.';
  return left.length === 0 ? text : `${text} Its ${left.join(' and ')} will not be sent again.`;
}

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
        {
          type: 'sendToApp',
          params: ({ event }) => ({
            type: 'toast.requested',
            kind: 'success',
            text: reusedText(event.transcription),
          }),
        },
      ],
    },
    'request.opened': { actions: [withEvent('openRequest'), raise({ type: 'request.changed' })] },
    'model.selected': {
      guard: withEvent('isOffered'),
      actions: [withEvent('selectModel'), raise({ type: 'request.changed' })],
    },
  },
});
