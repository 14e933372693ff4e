/** Puts the effects into the tree of charts: a chart that invokes others gets them with their own actors provided. */
import { activationWith } from '#machines/activation/machine.ts';
import { clipboardMachine } from '#machines/clipboard/machine.ts';
import { liveMachine } from '#machines/live/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/setup.ts';
import { preferencesMachine } from '#machines/preferences/machine.ts';
import { removalMachine } from '#machines/removal/machine.ts';
import { rootMachine } from '#machines/root/machine.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { sidePanelMachine } from '#machines/sidePanel/machine.ts';
import { signInMachine } from '#machines/signIn/machine.ts';
import { signUpWith } from '#machines/signUp/machine.ts';
import { streamMachine } from '#machines/stream/machine.ts';
import { transcriptionMachine } from '#machines/transcription/machine.ts';
import { uploadMachine } from '#machines/upload/machine.ts';
import { organizationForm, projectForm } from '#machines/workspace/forms.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import type { Effects } from './index.ts';

/** The root's chart with everything outside in its place; ready for `createActor`. */
export function provideEffects(effects: Effects) {
  const { restoreTokens, refreshTokens, invalidateTokens, tokenStore, preferencesStore, copyText, requestTokens, requestEmail, readActivation, activate } = effects;
  return rootMachine.provide({
    actors: {
      session: sessionMachine.provide({ actors: { restoreTokens, refreshTokens, invalidateTokens, tokenStore } }),
      preferences: preferencesMachine.provide({ actors: { preferencesStore } }),
      clipboard: clipboardMachine.provide({ actors: { copyText } }),
      signIn: signInMachine.provide({ actors: { submit: requestTokens } }),
      signUp: signUpWith(requestEmail),
      activation: activationWith({ readActivation, activate }),
      workspace: workspaceOf(effects),
    },
  });
}

function workspaceOf(effects: Effects) {
  const { loadWorkspace, loadMemberships, projectMemory, createOrganization, createProject } = effects;
  return workspaceMachine.provide({
    actors: {
      loadWorkspace,
      loadMemberships,
      projectMemory,
      organizationForm: organizationForm.provide({ actors: { submit: createOrganization } }),
      projectForm: projectForm.provide({ actors: { submit: createProject } }),
      playground: playgroundOf(effects),
    },
  });
}

function playgroundOf(effects: Effects) {
  const { loadPlayground, readFile, fetchFiles, fetchTranscriptions, removeItem, uploadFile, createTranscription, fetchTranscription, fetchTranscript } = effects;
  return playgroundMachine.provide({
    actors: {
      loadPlayground,
      readFile,
      files: filesMachine.provide({ actors: { fetchPage: fetchFiles } }),
      transcriptions: transcriptionsMachine.provide({ actors: { fetchPage: fetchTranscriptions } }),
      removal: removalMachine.provide({ actors: { removeItem } }),
      upload: uploadMachine.provide({ actors: { uploadFile } }),
      transcription: transcriptionMachine.provide({ actors: { createTranscription, fetchTranscription, fetchTranscript } }),
      live: liveOf(effects),
      sidePanel: sidePanelMachine.provide({ actors: { viewport: effects.viewport } }),
    },
  });
}

const liveOf = ({ capture, socket, clock }: Effects) =>
  liveMachine.provide({ actors: { clock, stream: streamMachine.provide({ actors: { capture, socket } }) } });
