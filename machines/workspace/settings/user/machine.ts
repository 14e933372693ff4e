// Models the user's page: forms for name and password, which stay open (ACC-09), the download of their data (PPL-10),
// and the deletion of their account.
// Owned by the workspace, while the page is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { User } from '#contract/accounts.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { sendToApp, type ToastRequested } from '../../../shared/appServices.ts';
import { downloadMachine } from '../../download/machine.ts';
import { accountDeletionMachine } from './deletion/machine.ts';
import { changePasswordForm, profileForm } from './forms.ts';
import { success } from '../../say.ts';

type UserChanged = { type: 'user.changed'; user: User };

export type UserSettingsNotice = UserChanged;

type Input = {
  user: User;
  /** Input from before the session ended. */
  drafts: readonly Draft[];
};

const NAME_SAVED = 'Success! Your name was saved.';
const PASSWORD_CHANGED = 'Success! Your password was changed. You are signed out everywhere else.';

const changed = ({ context: { user } }: { context: Input }): UserChanged => ({ type: 'user.changed', user });

const setupSettings = setup({
  types: {} as {
    context: Input;
    input: Input;
    events: { type: 'deletion.requested' };
    children: {
      profileForm: 'profileForm';
      changePasswordForm: 'changePasswordForm';
      accountDeletion: 'accountDeletion';
      download: 'download';
    };
  },
  actors: { profileForm, changePasswordForm, accountDeletion: accountDeletionMachine, download: downloadMachine },
  guards: formGuards,
  actions: {
    setUser: assign((_, user: User) => ({ user, drafts: [] })),
    setPassword: assign(({ context }) => ({ user: { ...context.user, has_password: true } })),
    notifyParent: notifyParent<UserSettingsNotice>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
});

const profile = setupSettings.createStateConfig({
  initial: 'open',
  states: {
    // Below its region, so that re-entering it does not restart the other regions.
    open: {
      invoke: {
        id: 'profileForm',
        src: 'profileForm',
        input: ({ context: { user, drafts } }) => ({
          initial: { name: user.name },
          draft: draftOf(drafts, 'profileForm', {}),
        }),
        onDone: formEnds(
          {
            target: 'open',
            reenter: true,
            actions: [givenAnswer('setUser'), { type: 'notifyParent', params: changed }, success(NAME_SAVED)],
          },
          { target: 'open', reenter: true },
        ),
      },
    },
  },
});

const password = setupSettings.createStateConfig({
  initial: 'open',
  states: {
    // Below its region, so that re-entering it does not restart the other regions.
    open: {
      invoke: {
        id: 'changePasswordForm',
        src: 'changePasswordForm',
        input: ({ context: { user } }) => ({
          about: { has_password: user.has_password ? 'yes' : '', email: user.email },
        }),
        onDone: formEnds(
          {
            target: 'open',
            reenter: true,
            actions: ['setPassword', { type: 'notifyParent', params: changed }, success(PASSWORD_CHANGED)],
          },
          { target: 'open', reenter: true },
        ),
      },
    },
  },
});

const deletion = setupSettings.createStateConfig({
  initial: 'closed',
  states: {
    closed: { on: { 'deletion.requested': 'open' } },
    open: {
      invoke: {
        id: 'accountDeletion',
        src: 'accountDeletion',
        input: ({ context: { user } }) => ({ user }),
        onDone: 'closed',
      },
    },
  },
});

export const userSettingsMachine = setupSettings.createMachine({
  id: 'userSettings',
  type: 'parallel',
  context: ({ input }) => input,
  invoke: { id: 'download', src: 'download' },
  states: { profile, password, deletion },
});

export type UserSettingsActor = ActorRefFrom<typeof userSettingsMachine>;
