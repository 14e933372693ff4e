import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromCallback } from 'xstate';
import type { PickedFile, UploadEvent } from '#machines/playground/upload/actors.ts';
import { STALL_MS, uploadMachine } from '#machines/playground/upload/machine.ts';
import { storedFile, transcription, underParent } from '../playground-fixtures.ts';

const file: PickedFile = { name: 'talk.wav', size: 1000, type: 'audio/wav' };
const input = { projectUuid: 'p1', maxUploadBytes: 2 * 1_048_576 };

function uploading() {
  const aborted = vi.fn();
  const started = vi.fn();
  let answer: (event: UploadEvent) => void = () => {
    throw new Error('Nothing is under way.');
  };
  const machine = uploadMachine.provide({
    actors: {
      uploadFile: fromCallback(({ sendBack, input: given }) => {
        started(given);
        answer = sendBack;
        return aborted;
      }),
    },
  });
  return {
    ...underParent(machine, input),
    aborted,
    started,
    answer: (event: UploadEvent) => answer(event),
  };
}

describe('an upload', () => {
  it('UPL-01: shows whole percents, and cancel aborts', () => {
    const { child: actor, aborted, started, answer } = uploading();
    actor.send({ type: 'file.chosen', file });
    expect(started).toHaveBeenCalledExactlyOnceWith({ file, projectUuid: 'p1' });
    answer({ type: 'upload.progressed', sentBytes: 333, totalBytes: 1000 });
    expect(actor.getSnapshot().context.percent).toBe(33);
    answer({ type: 'upload.progressed', sentBytes: 1100, totalBytes: 1000 });
    expect(actor.getSnapshot().context.percent).toBe(100);
    actor.send({ type: 'cancel.requested' });
    expect(aborted).toHaveBeenCalledOnce();
    expect(actor.getSnapshot().hasTag('open')).toBe(false);
    answer({ type: 'upload.succeeded', file: storedFile() });
    expect(actor.getSnapshot().matches('idle')).toBe(true);
  });
  it('UPL-02: a failure keeps the dialog open with its text; retry sends the same file again', () => {
    const { child: actor, started, answer } = uploading();
    actor.send({ type: 'file.chosen', file });
    answer({ type: 'upload.failed', failure: { kind: 'HTTP', status: 413, message: 'Too much.' } });
    expect(actor.getSnapshot().context.failure?.message).toBe('Too much.');
    actor.send({ type: 'retry.requested' });
    expect(started).toHaveBeenCalledTimes(2);
    expect(actor.getSnapshot().context).toMatchObject({ file, percent: 0, failure: null });
  });
  it.each([
    [0, 'The file is empty.'],
    [3 * 1_048_576, 'The file is larger than 2 MiB.'],
  ])('UPL-02: %i bytes are refused before sending', (size, message) => {
    const { child: actor, started } = uploading();
    actor.send({ type: 'file.chosen', file: { ...file, size } });
    expect(started).not.toHaveBeenCalled();
    expect(actor.getSnapshot().context.failure?.message).toBe(message);
  });
  it('UPL-02: fails when no byte goes out for a minute, is aborted, and can be tried again', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { child: actor, aborted, started, answer } = uploading();
    actor.send({ type: 'file.chosen', file });
    for (let sentBytes = 100; sentBytes <= 500; sentBytes += 100) {
      vi.advanceTimersByTime(STALL_MS - 1);
      answer({ type: 'upload.progressed', sentBytes, totalBytes: 1000 });
    }
    expect(actor.getSnapshot().hasTag('busy')).toBe(true);
    // Told again, but nothing moved.
    vi.advanceTimersByTime(STALL_MS - 1);
    answer({ type: 'upload.progressed', sentBytes: 500, totalBytes: 1000 });
    expect(aborted).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(aborted).toHaveBeenCalledOnce();
    expect(actor.getSnapshot().context.failure).toMatchObject({
      kind: 'TIMEOUT_ERROR',
      message: expect.stringContaining('stood still for 60 seconds'),
    });
    actor.send({ type: 'retry.requested' });
    expect(started).toHaveBeenCalledTimes(2);
    expect(actor.getSnapshot().context).toMatchObject({ sentBytes: 0, percent: 0, failure: null });
  });
  it('UPL-02: an answer that never comes ends it too', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { child: actor, answer } = uploading();
    actor.send({ type: 'file.chosen', file });
    answer({ type: 'upload.progressed', sentBytes: 1000, totalBytes: 1000 });
    vi.advanceTimersByTime(STALL_MS);
    expect(actor.getSnapshot().hasTag('failed')).toBe(true);
  });
  it('UPL-03: tells its parent the id of the file', () => {
    const { child, told, answer } = uploading();
    child.send({ type: 'file.chosen', file });
    answer({ type: 'upload.succeeded', file: storedFile() });
    expect(told).toEqual([{ type: 'file.uploaded', file: storedFile() }]);
  });
  it('ASY-20: tells which recording the file replaces, also of one that was chosen after a failure; the next replaces none', () => {
    const { child, told, answer } = uploading();
    const like = transcription();
    child.send({ type: 'file.chosen', file: { ...file, size: 0 }, like });
    child.send({ type: 'file.chosen', file });
    answer({ type: 'upload.succeeded', file: storedFile() });
    child.send({ type: 'file.chosen', file });
    answer({ type: 'upload.succeeded', file: storedFile({ id: 'f2' }) });
    expect(told).toEqual([
      { type: 'file.uploaded', file: storedFile(), like },
      { type: 'file.uploaded', file: storedFile({ id: 'f2' }) },
    ]);
  });
  it.each([
    ['text/plain', true],
    ['image/png', true],
    ['application/pdf', true],
    ['application/json', true],
    ['', false],
    ['audio/flac', false],
    ['video/mp4', false],
    ['application/ogg', false],
    ['application/octet-stream', false],
  ])('UXP-54: a file of the type %j is surely no recording, and refused before it is sent: %s', (type, isRefused) => {
    const { child: actor, started } = uploading();
    actor.send({ type: 'file.chosen', file: { name: 'a', size: 1, type } });
    expect(started).toHaveBeenCalledTimes(isRefused ? 0 : 1);
    expect(actor.getSnapshot().context.failure?.message).toBe(
      isRefused ? "This isn't audio or video. Choose a recording." : undefined,
    );
    expect(actor.getSnapshot().can({ type: 'retry.requested' })).toBe(false);
  });
});
