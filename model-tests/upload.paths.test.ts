import { describe, expect } from 'vitest';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import { describeWalk } from './walk.ts';

const chosen = (size: number) => ({ type: 'file.chosen', file: { name: 'talk.wav', size, type: 'audio/wav' } });

describe('UPL-01 UPL-02: every way through an upload', () => {
  describeWalk(uploadMachine, {
    tags: { open: ['uploading', 'failed'], busy: ['uploading'], failed: ['failed'] },
    ignored: [
      { states: ['uploading'], events: ['file.chosen'], why: 'One file at a time: the dialog lies over the picker' },
      {
        states: ['done', 'failed', 'idle'],
        events: ['upload.progressed', 'upload.succeeded', 'upload.failed', 'cancel.requested'],
        why: 'No request is under way',
      },
      {
        states: ['done', 'idle', 'uploading'],
        events: ['retry.requested', 'dismiss.requested'],
        why: 'Nothing has failed',
      },
      {
        states: ['failed'],
        events: ['retry.requested'],
        why: 'The file itself is refused: another try would not help',
        sometimes: true,
      },
    ],
    input: { projectUuid: 'p1', maxUploadBytes: 100 },
    cases: {
      'file.chosen': [chosen(0), chosen(10), chosen(101)],
      'upload.progressed': [{ type: 'upload.progressed', sentBytes: 5, totalBytes: 10 }],
      'upload.succeeded': [{ type: 'upload.succeeded', fileId: 'f1' }],
      'upload.failed': [{ type: 'upload.failed', failure: { message: 'No.', kind: 'HTTP', status: 400 } }],
    },
    distinguish: ({ context }) => [context.file?.size, context.failure?.message],
    states: {
      uploading: ({ context }) => {
        expect(context.failure).toBeNull();
      },
      failed: (snapshot) => {
        expect(snapshot.context.failure.message).not.toBe('');
        expect(snapshot.can({ type: 'retry.requested' })).toBe(snapshot.context.file.size === 10);
      },
    },
  });
});
