import type { Page } from '@playwright/test';

/** The screen of a project's API keys, with its dialogs. */
export function apiKeysPage(page: Page) {
  return {
    create: page.getByRole('main').getByRole('button', { name: 'Create API key' }),
    rows: page.getByRole('region', { name: 'API keys' }).getByRole('row'),
    revoke: (name: string) => page.getByRole('button', { name: `Revoke ${name}` }),
    retry: page.getByRole('button', { name: 'Retry' }),
    form: page.getByRole('dialog', { name: 'Create API key' }),
    secret: page.getByRole('dialog', { name: 'Your new API key' }),
    /** What is asked before something is lost. */
    question: page.getByRole('alertdialog'),
  };
}
