import { expect, type Page } from '@playwright/test';

/** A screen that anybody may open: sign-up, a link of a mail, an invitation. */
export function visitorScreen(page: Page) {
  const main = page.getByRole('main');
  return {
    main,
    email: page.getByLabel('E-mail'),
    password: page.getByLabel('Password', { exact: true }),
    alert: main.getByRole('alert'),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    link: (name: string) => main.getByRole('link', { name, exact: true }),
    /** For what is expected of the heading of that name. */
    heading: (name: string) => expect(page.getByRole('heading', { level: 1, name, exact: true })),
  };
}
