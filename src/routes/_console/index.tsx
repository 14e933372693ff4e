import { createFileRoute, redirect } from '@tanstack/react-router';
import { homeOf } from '#machines/root/select.ts';
import { addressOf } from '../../locations.ts';
import { NoOrganizationPage } from '../../views/shell/NoOrganizationPage.tsx';
import { settledWorkspace } from '../-guards.ts';

/** The first organization's home; without one, the page says whom to ask (NAV-01). */
export const Route = createFileRoute('/_console/')({
  beforeLoad: async ({ context: { root }, abortController }) => {
    const workspace = await settledWorkspace({ root, signal: abortController.signal });
    const home = workspace && homeOf(workspace);
    if (home) throw redirect({ ...addressOf(home), replace: true });
  },
  component: NoOrganizationPage,
});
