import type { Page } from '@playwright/test';

/** The screen of an organization's members and invitations, with its dialogs. */
export function membersPage(page: Page) {
  const button = (name: string) => page.getByRole('button', { name });
  return {
    rows: (list: 'Members' | 'Invitations') => page.getByRole('list', { name: list }).getByRole('listitem'),
    changeRole: (email: string) => button(`Change role of ${email}`),
    remove: (email: string) => button(`Remove ${email}`),
    revokeInvitation: (email: string) => button(`Revoke invitation of ${email}`),
    leave: button('Leave the organization'),
    retry: button('Retry'),
    roleForm: page.getByRole('dialog', { name: 'Change role' }),
    /** What is asked before somebody goes. */
    question: page.getByRole('alertdialog'),
  };
}
