import type { SignOutReason } from './setup.ts';

/** Shown at sign-in to somebody whose session ended without their signing out here. */
export const SIGN_OUT_REASONS: Readonly<Record<SignOutReason, string>> = {
  refused:
    'Your session has ended: it expired, or it was ended from another device or by a new password. Sign in again to go on where you were.',
  forbidden:
    'You were signed out because your role does not allow what the page asked for. Your rights may have changed; sign in again to see what you can do.',
  deleted: 'Your account was deleted.',
  elsewhere: 'Your session ended in another tab. Sign in again to go on where you were.',
};
