import { describe, expect, it, vi } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import type { PickedFile, UploadEvent } from '#machines/upload/actors.ts';
import { UPLOAD_FAILED, uploadMachine } from '#machines/upload/machine.ts';
import { underParent } from './playground-fixtures.ts';

const file: PickedFile = { name: 'talk.wav', size: 1000, type: 'audio/wav' };
const input = { projectUuid: 'p1', maxUploadBytes: 2 * 1_048_576 };

function uploading() {
  const aborted = vi.fn();
  const started = vi.fn();
  let answer: (event: UploadEvent) => void = () => { throw new Error('Nothing is under way.'); };
  const machine = uploadMachine.provide({
    actors: {
      uploadFile: fromCallback<{ type: string }, { file: PickedFile; projectUuid: string }>(({ sendBack, input: given }) => {
        started(given);
        answer = sendBack;
        return aborted;
      }),
    },
  });
  return { machine, aborted, started, answer: (event: UploadEvent) => { answer(event); } };
}

describe('an upload', () => {
  it('UPL-01: shows whole percents, and cancel aborts', () => {
    const { machine, aborted, started, answer } = uploading();
    const actor = createActor(machine, { input }).start();
    actor.send({ type: 'file.chosen', file });
    expect(started).toHaveBeenCalledExactlyOnceWith({ file, projectUuid: 'p1' });
    answer({ type: 'upload.progressed', sentBytes: 333, totalBytes: 1000 });
    expect(actor.getSnapshot().context.percent).toBe(33);
    answer({ type: 'upload.progressed', sentBytes: 1100, totalBytes: 1000 });
    expect(actor.getSnapshot().context.percent).toBe(100);
    actor.send({ type: 'cancel.requested' });
    expect(aborted).toHaveBeenCalledOnce();
    expect(actor.getSnapshot().hasTag('open')).toBe(false);
    answer({ type: 'upload.succeeded', fileId: 'late' });
    expect(actor.getSnapshot().matches('idle')).toBe(true);
  });
  it('UPL-02: a failure keeps the dialog open with its text; retry sends the same file again', () => {
    const { machine, started, answer } = uploading();
    const actor = createActor(machine, { input }).start();
    actor.send({ type: 'file.chosen', file });
    answer({ type: 'upload.failed', failure: { kind: 'HTTP', status: 413, message: 'Too much.' } });
    expect(UPLOAD_FAILED).toBe('File upload failed');
    expect(actor.getSnapshot().context.failure?.message).toBe('Too much.');
    actor.send({ type: 'retry.requested' });
    expect(started).toHaveBeenCalledTimes(2);
    expect(actor.getSnapshot().context).toMatchObject({ file, percent: 0, failure: null });
  });
  it.each([[0, 'The file is empty.'], [3 * 1_048_576, 'The file is larger than 2 MB.']])('UPL-02: %i bytes are refused before sending', (size, message) => {
    const { machine, started } = uploading();
    const actor = createActor(machine, { input }).start();
    actor.send({ type: 'file.chosen', file: { ...file, size } });
    expect(started).not.toHaveBeenCalled();
    expect(actor.getSnapshot().context.failure?.message).toBe(message);
    expect(actor.getSnapshot().can({ type: 'retry.requested' })).toBe(false);
  });
  it('UPL-03: tells its parent the id of the file', () => {
    const { machine, answer } = uploading();
    const { child, told } = underParent(machine, input);
    child.send({ type: 'file.chosen', file });
    answer({ type: 'upload.succeeded', fileId: 'f1' });
    expect(told).toEqual([{ type: 'file.uploaded', fileId: 'f1' }]);
  });
});
