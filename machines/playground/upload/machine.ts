// Models uploading one file: the dialog is open during the upload and after a failure.
// Owned by `async`, which opens the new file; leaving `uploading` aborts the request.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ToastRequested } from '../../shared/appServices.ts';
import { sendToApp } from '../../shared/appServices.ts';
import { toFailure, type Failure } from '../../shared/failure.ts';
import { unsavedWork } from '../../shared/unsavedWork.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { uploadFile, type PickedFile, type UploadEvent } from './actors.ts';
import { DROP_PROBLEMS, type DropProblem } from './texts.ts';
import { withEvent } from '../../shared/withEvent.ts';

type UploadContext = {
  projectUuid: string;
  /** Bytes. */
  maxUploadBytes: number;
  file: PickedFile | null;
  /** The failed transcription whose recording it replaces. */
  like: Transcription | null;
  /** Bytes of the request sent, including the multipart envelope. */
  sentBytes: number;
  /** Integer, 0 to 100; 100 while the server has yet to answer. */
  percent: number;
  failure: Failure | null;
};

type UploadUserEvent =
  /** One chosen instead, after a failure, replaces the same recording. */
  | { type: 'file.chosen'; file: PickedFile; like?: Transcription }
  | { type: 'drop.questioned'; problem: DropProblem }
  | { type: 'cancel.requested' }
  | { type: 'retry.requested' }
  | { type: 'dismiss.requested' };

type FileChosen = Extract<UploadUserEvent, { type: 'file.chosen' }>;

export type UploadNotice = { type: 'file.uploaded'; file: StoredFile; like?: Transcription };

const BYTES_PER_MIB = 1_048_576;
/** An upload fails after so many milliseconds without a byte sent or an answer. */
export const STALL_MS = 60_000;
const STALLED: Failure = {
  message: 'The upload stood still for 60 seconds and was given up. Check your connection and try again.',
  kind: 'TIMEOUT_ERROR',
};
const FRESH = { sentBytes: 0, percent: 0, failure: null };

const setupUpload = setup({
  types: {} as {
    context: UploadContext;
    input: { projectUuid: string; maxUploadBytes: number };
    events: UploadUserEvent | UploadEvent;
    tags: 'open' | 'busy' | 'failed';
  },
  actors: { uploadFile, unsavedWork },
  delays: { stallLimit: STALL_MS },
  guards: {
    hasMoved: ({ context }, { sentBytes }: { sentBytes: number }) => sentBytes > context.sentBytes,
    isRefused: ({ context }, { file }: { file: PickedFile }) => refusal(file, context.maxUploadBytes) !== null,
    isSendable: ({ context }) => context.file !== null && refusal(context.file, context.maxUploadBytes) === null,
  },
  actions: {
    setFile: assign(({ context }, { file, like }: FileChosen) => ({ ...FRESH, file, like: like ?? context.like })),
    setRefusal: assign(({ context }, { file, like }: FileChosen) => ({
      ...FRESH,
      file,
      like: like ?? context.like,
      failure: refusal(file, context.maxUploadBytes),
    })),
    setFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    setProgress: assign((_, { sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) => ({
      sentBytes,
      percent: totalBytes > 0 ? Math.min(100, Math.floor((100 * sentBytes) / totalBytes)) : 0,
    })),
    restart: assign(FRESH),
    clearFile: assign({ ...FRESH, file: null, like: null }),
    notifyParent: notifyParent<UploadNotice>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
});

const choosing = setupUpload.createStateConfig({
  on: {
    'file.chosen': [
      { guard: withEvent('isRefused'), target: 'failed', actions: withEvent('setRefusal') },
      { target: 'uploading', actions: withEvent('setFile') },
    ],
  },
});

export const uploadMachine = setupUpload.createMachine({
  id: 'upload',
  context: ({ input }) => ({ ...input, ...FRESH, file: null, like: null }),
  initial: 'idle',
  on: {
    'drop.questioned': {
      actions: {
        type: 'sendToApp',
        params: ({ event }) => ({ type: 'toast.requested', kind: 'error', text: DROP_PROBLEMS[event.problem] }),
      },
    },
  },
  states: {
    idle: choosing,
    uploading: {
      tags: ['open', 'busy'],
      invoke: [
        { id: 'unsavedWork', src: 'unsavedWork', input: { kind: 'upload', scope: 'screen' } },
        {
          id: 'uploadFile',
          src: 'uploadFile',
          input: ({ context }) => {
            if (!context.file) throw new Error('An upload without a file.');
            return { file: context.file, projectUuid: context.projectUuid };
          },
          onError: {
            target: 'failed',
            actions: { type: 'setFailure', params: ({ event }) => ({ failure: toFailure(event.error) }) },
          },
        },
      ],
      initial: 'moving',
      states: {
        // Every byte sent re-enters this state, which restarts the timer.
        moving: {
          after: {
            stallLimit: { target: '#upload.failed', actions: { type: 'setFailure', params: { failure: STALLED } } },
          },
        },
      },
      on: {
        'upload.progressed': { guard: withEvent('hasMoved'), target: '.moving', actions: withEvent('setProgress') },
        'upload.succeeded': {
          target: 'done',
          actions: [
            {
              type: 'notifyParent',
              params: ({ context: { like }, event: { file } }) => ({
                type: 'file.uploaded',
                file,
                ...(like ? { like } : {}),
              }),
            },
            'clearFile',
          ],
        },
        'upload.failed': { target: 'failed', actions: withEvent('setFailure') },
        'cancel.requested': { target: 'idle', actions: 'clearFile' },
      },
    },
    failed: {
      ...choosing,
      tags: ['open', 'failed'],
      on: {
        ...choosing.on,
        'retry.requested': { guard: 'isSendable', target: 'uploading', actions: 'restart' },
        'dismiss.requested': { target: 'idle', actions: 'clearFile' },
      },
    },
    done: choosing,
  },
});

/** Media types of recordings besides audio and video. */
const CONTAINERS = /^application\/(ogg|mp4|mxf|octet-stream|x-.*)$/;

/** Whether the media type rules out a recording. A browser leaves unknown types empty. */
const isNoRecording = (type: string): boolean =>
  type !== '' && !/^(audio|video)\//.test(type) && !CONTAINERS.test(type);

/** Why not to send a file; null if nothing is wrong. */
function refusal(file: PickedFile, maxBytes: number): Failure | null {
  if (isNoRecording(file.type)) return { message: "This isn't audio or video. Choose a recording.", kind: 'OTHER' };
  if (file.size === 0) return { message: 'The file is empty.', kind: 'OTHER' };
  if (file.size > maxBytes)
    return { message: `The file is larger than ${Math.floor(maxBytes / BYTES_PER_MIB)} MiB.`, kind: 'OTHER' };
  return null;
}

/** Title of the dialog after a failure. */
export const UPLOAD_FAILED = 'File upload failed';
export type UploadActor = ActorRefFrom<typeof uploadMachine>;
