import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { removalMachine } from '#machines/playground/removal/machine.ts';
import { confirmLabel, removalEffect } from '#machines/playground/removal/texts.ts';
import { describeWalk } from './walk.ts';

const refusals = [404, 409, 500].map((status) => new CallError({ kind: 'HTTP', status, message: `${status}.` }));

describe('LIB-03 FAI-04: every way through a removal', () => {
  describeWalk(removalMachine, {
    tags: { confirming: ['confirming'], busy: ['cancelling', 'removing'] },
    ignored: {
      'One dialog at a time; what is under way is finished first':
        'removal.requested in cancelling, confirming, removing',
      'Its dialog does not show': 'removal.confirmed, removal.dismissed in cancelling, idle, removing',
    },
    cases: {
      'removal.requested': [
        { item: { kind: 'file', id: 'f1', name: 'talk.wav' } },
        { item: { kind: 'transcription', id: 't1', name: 'talk.wav' } },
        { item: { kind: 'transcription', id: 't2', name: 'long.wav', isRunning: true } },
      ],
      'failed removeItem': refusals,
      'failed cancelItem': refusals,
    },
    distinguish: ({ context }) => [context.item?.kind, context.item?.isRunning],
    states: {
      idle: ({ context }) => expect(context.item).toBeNull(),
      confirming: ({ context: { item } }) => {
        expect(confirmLabel(item)).toBe(item.isRunning ? 'Cancel and delete' : 'Delete');
        expect(removalEffect(item)).toContain(
          item.isRunning
            ? 'will be cancelled'
            : item.kind === 'file'
              ? 'transcriptions made from it stay'
              : 'the file stays',
        );
      },
      cancelling: ({ context }) => expect(context.item.isRunning).toBe(true),
    },
  });
});
