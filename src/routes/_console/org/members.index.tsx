import { createFileRoute } from '@tanstack/react-router';
import { RedirectFailedPage } from '../../../views/shell/RedirectFailedPage.tsx';
import { leadOn } from '../../-guards.ts';

export const Route = createFileRoute('/_console/org/members/')({ beforeLoad: (opened) => leadOn('/org/members/', opened), component: RedirectFailedPage });
