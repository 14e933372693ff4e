import type { EntryKind } from './actors.ts';

/** Toasts after a removal. */
export const REMOVED: Record<EntryKind, { success: string; error: string }> = {
  member: { success: 'Success! Member was removed.', error: 'Error! Failed to remove member.' },
  invitation: { success: 'Success! Invitation was revoked.', error: 'Error! Failed to revoke invitation.' },
};
/** If the member's keys were revoked too. */
export const REMOVED_WITH_KEYS = 'Success! Member was removed, and every API key they made was revoked.';
/** If somebody else has removed the member whose keys were to be revoked. */
export const GONE_WITH_KEYS =
  'The member had already been removed. Their API keys may still work: look for them among the API keys of each project.';
export const LEFT = {
  success: 'Success! You left the organization.',
  error: 'Error! Failed to leave the organization.',
};
export const MEMBER_NOT_READ = 'Error! Failed to load member.';
export const ROLE_CHANGED = 'Success! Role was changed.';
