import { describe, expect } from 'vitest';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import { storedFile, transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalk } from './walk.ts';

const chosen = (size: number) => ({ type: 'file.chosen', file: { name: 'talk.wav', size, type: 'audio/wav' } });

describe('UPL-01 UPL-02: every way through an upload', () => {
  describeWalk(uploadMachine, {
    tags: { open: ['uploading', 'failed'], busy: ['uploading'], failed: ['failed'] },
    ignored: {
      'One file at a time: the dialog lies over the picker': 'file.chosen in uploading',
      'No request is under way':
        'upload.progressed, upload.succeeded, upload.failed, cancel.requested in done, failed, idle',
      'Nothing has failed': 'retry.requested, dismiss.requested in done, idle, uploading',
      'The file itself is refused: another try would not help': 'retry.requested at times in failed',
    },
    input: { projectUuid: 'p1', maxUploadBytes: 100 },
    cases: {
      'file.chosen': [chosen(0), chosen(10), chosen(101), { ...chosen(10), like: transcription() }],
      'drop.questioned': [{ problem: 'folder' }, { problem: 'several' }],
      'upload.progressed': [{ sentBytes: 5, totalBytes: 10 }],
      'upload.succeeded': [{ file: storedFile() }],
      'upload.failed': [{ failure: { message: 'No.', kind: 'HTTP', status: 400 } }],
    },
    distinguish: ({ context }) => [context.file?.size, context.failure?.message],
    states: {
      uploading: ({ context }) => expect(context.failure).toBeNull(),
      failed: (snapshot) => {
        expect(snapshot.context.failure.message).not.toBe('');
        expect(snapshot.can({ type: 'retry.requested' })).toBe(snapshot.context.file.size === 10);
      },
    },
  });
});
