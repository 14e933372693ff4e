import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { libraryMachine } from '#machines/playground/library/machine.ts';
import { alone } from '../test/machines/appServices.ts';
import { storedFile, transcription } from '../test/machines/playground-fixtures.ts';
import { silenced } from '../test/machines/silenced.ts';
import { describeWalk } from './walk.ts';

const file = { kind: 'file', id: 'f1', name: 'talk.wav' };
const item = { kind: 'transcription', id: 't1', name: 'talk.wav' };
const page = { items: [], nextCursor: null };

describe('LIB-03 LIB-04: what a project has', () => {
  describeWalk(libraryMachine, {
    ignored: {},
    cases: {
      'file.stored': [{ file: storedFile() }],
      'transcription.stored': [{ transcription: transcription() }],
      'transcription.updated': [{ transcription: transcription() }],
      'push.received': [
        { event: { type: 'resync' } },
        { event: { type: 'file.created', project_uuid: 'p1', file_id: 'f3' } },
      ],
      'listed.read': [
        { kind: 'file', isNew: true, item: storedFile({ id: 'f3' }) },
        { kind: 'transcription', isNew: false, item: transcription() },
      ],
      'listed.gone': [file, item],
      'lists.read': [{ files: page, transcriptions: page }],
      'removal.started': [{ item: file }, { item }],
      'removal.halted': [{ item }],
      'removal.failed': [{ item, failure: { message: 'No.', kind: 'OTHER' } }],
      'removal.succeeded': [{ item: file }, { item }],
    },
  });

  it('ASY-19: tells the transcriptions that were read, and nothing of files', () => {
    const told: unknown[] = [];
    const library = createActor(
      silenced(alone(libraryMachine)).provide({
        actions: { notifyParent: (_: unknown, notice: unknown) => told.push(notice) } as never,
      }),
    ).start();
    library.send({ type: 'listed.read', kind: 'file', isNew: true, item: storedFile() });
    library.send({ type: 'listed.read', kind: 'transcription', isNew: true, item: transcription() });
    library.send({
      type: 'lists.read',
      files: page,
      transcriptions: { ...page, items: [transcription({ id: 't2' })] },
    });
    expect(told).toEqual([
      { type: 'transcriptions.read', transcriptions: [transcription()] },
      { type: 'transcriptions.read', transcriptions: [transcription({ id: 't2' })] },
    ]);
    library.stop();
  });
});
