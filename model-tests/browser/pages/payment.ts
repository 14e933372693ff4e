import type { Page } from '@playwright/test';

/** The billing overview, as far as one pays there. */
export function paymentPage(page: Page) {
  const outcome = page.getByRole('status', { name: 'Payment', exact: true });
  return {
    begin: page.getByRole('button', { name: 'Add to balance' }),
    amountDialog: page.getByRole('dialog', { name: 'Add to balance' }),
    confirmDialog: page.getByRole('dialog', { name: 'Confirm payment' }),
    /** Without one that fades out. */
    openDialog: page.locator('[role=dialog][data-state=open]'),
    outcome,
    action: (name: string) => outcome.getByRole('button', { name, exact: true }),
  };
}
