import { createFileRoute, redirect } from '@tanstack/react-router';
import { waitFor } from 'xstate';
import { homeOf, workspaceOf } from '#machines/root/select.ts';
import { addressOf } from '../../locations.ts';
import { NoOrganizationPage } from '../../views/shell/NoOrganizationPage.tsx';

/** The first organization's home; without one, the page says whom to ask (NAV-01). */
export const Route = createFileRoute('/_console/')({
  beforeLoad: async ({ context: { root }, abortController }) => {
    const signedIn = await waitFor(root, (snapshot) => workspaceOf(snapshot) !== undefined, { signal: abortController.signal });
    const workspace = workspaceOf(signedIn);
    if (!workspace) return;
    const settled = await waitFor(workspace, (snapshot) => !snapshot.hasTag('loading'), { signal: abortController.signal });
    const home = homeOf(settled);
    if (home) throw redirect({ ...addressOf(home), replace: true });
  },
  component: NoOrganizationPage,
});
