import { createFileRoute } from '@tanstack/react-router';
import { RedirectFailedPage } from '../../../../views/shell/RedirectFailedPage.tsx';
import { leadOn } from '../../../-guards.ts';

export const Route = createFileRoute('/_console/org/projects/limits/')({ beforeLoad: (opened) => leadOn('/org/projects/limits/', opened), component: RedirectFailedPage });
