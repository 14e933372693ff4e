import type { Page } from '@playwright/test';

/** The live tab of the playground. */
export function recorder(page: Page) {
  const sources = page.getByRole('radiogroup', { name: 'Audio input' });
  return {
    /** Runs, runs again and stops; does nothing while it starts or stops. */
    run: page.getByRole('button', { name: /^(Run|Rerun|Run\.\.\.|Stop|Stop\.\.\.)$/ }),
    /** Ends a start, or the wait for the last words. */
    cancel: page.getByRole('main').getByRole('button', { name: 'Cancel', exact: true }),
    reset: page.getByRole('button', { name: 'Reset', exact: true }),
    finalize: page.getByRole('button', { name: 'Finalize', exact: true }),
    source: (name: 'Mic' | 'File') => sources.getByText(name),
    filePicker: page.getByLabel(/^Choose (file|another)$/),
    context: page.getByLabel('Context'),
    alert: page.getByRole('main').getByRole('alert'),
    /** Beside the running dot. */
    status: (word: string) => page.getByRole('status').filter({ hasText: word }),
  };
}
