// Models the playground of one project: what the address shows, and everything that goes on beneath it.
// Owned by the workspace; stopping it stops uploads, polling, sockets and the microphone with it.
import type { ActorRefFrom } from 'xstate';
import { displayOf, initialContext, plainRoute, routeShowing, setupPlayground } from './setup.ts';
import { DROP_PROBLEMS } from './upload/texts.ts';
import { file, followed, job, mode, panel, removals, settings } from './states.ts';
import { given, givenOutput } from '../shared/given.ts';

export type { PlaygroundInput } from './setup.ts';

export const playgroundMachine = setupPlayground.createMachine({
  id: 'playground',
  context: ({ input }) => initialContext(input),
  initial: 'loading',
  on: { 'route.changed': { actions: given('adoptRoute') } },
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadPlayground',
        src: 'loadPlayground',
        onDone: { target: 'ready', actions: givenOutput('keepData') },
        onError: { target: 'failed', actions: given('keepFailure') },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: {
      type: 'parallel',
      invoke: [
        { id: 'files', src: 'files' },
        { id: 'transcriptions', src: 'transcriptions' },
        { id: 'following', src: 'following' },
        { id: 'removal', src: 'removal' },
        {
          id: 'upload',
          src: 'upload',
          input: ({ context }) => ({ projectUuid: context.projectUuid, maxUploadBytes: context.maxUploadBytes }),
        },
        {
          id: 'live',
          src: 'live',
          input: ({ context }) => ({
            models: context.models,
            browserLanguages: context.browserLanguages,
            kept: context.kept?.live ?? null,
          }),
        },
        { id: 'display', src: 'display', input: ({ context }) => displayOf(context.route) },
        { id: 'exporter', src: 'exporter' },
        { id: 'codePanel', src: 'codePanel' },
        { id: 'search', src: 'search' },
        { id: 'selection', src: 'selection' },
        { id: 'sidePanel', src: 'sidePanel' },
      ],
      on: {
        ...settings.on,
        ...removals.on,
        ...followed.on,
        'display.changed': {
          actions: {
            type: 'announce',
            params: ({ context, event }) => ({
              type: 'navigate.requested',
              to: routeShowing(context.route, event.display),
              replace: true,
            }),
          },
        },
        'file.chosen': { actions: given('startUpload') },
        'drop.questioned': {
          actions: {
            type: 'announce',
            params: ({ event }) => ({ type: 'toast.requested', kind: 'error', text: DROP_PROBLEMS[event.problem] }),
          },
        },
        'file.uploaded': {
          actions: [
            given('keepUploaded'),
            {
              type: 'announce',
              params: ({ context, event }) => ({
                type: 'navigate.requested',
                to: { ...plainRoute(context), fileId: event.fileId },
              }),
            },
          ],
        },
        'file.opened': {
          actions: {
            type: 'announce',
            params: ({ context, event }) => ({
              type: 'navigate.requested',
              to: { ...plainRoute(context), fileId: event.fileId },
            }),
          },
        },
        'transcription.opened': {
          actions: {
            type: 'announce',
            params: ({ context, event }) => ({
              type: 'navigate.requested',
              to: { ...plainRoute(context), transcriptionId: event.id },
            }),
          },
        },
      },
      states: { mode, panel, file, job },
    },
  },
});

/** Shown in red when models can't be loaded (spec §2). */
export const PLAYGROUND_FAILED = 'Failed to load playground.';
/** Shown when the file can't be read, with a Reload link (spec §8). */
export const FILE_FAILED = 'Failed to load audio file.';
/** Beneath it, where the file is no recording. */
export const FILE_UNREADABLE = "This file isn't audio we can read. Choose another.";
/** Beneath it, where only the browser is at a loss. */
export const FILE_UNPLAYABLE = "This browser can't play it. You can still transcribe it.";

export type PlaygroundActor = ActorRefFrom<typeof playgroundMachine>;
