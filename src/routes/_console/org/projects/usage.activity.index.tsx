import { createFileRoute } from '@tanstack/react-router';
import { RedirectFailedPage } from '../../../../views/shell/RedirectFailedPage.tsx';
import { leadOn } from '../../../-guards.ts';

export const Route = createFileRoute('/_console/org/projects/usage/activity/')({ beforeLoad: (opened) => leadOn('/org/projects/usage/activity/', opened), component: RedirectFailedPage });
