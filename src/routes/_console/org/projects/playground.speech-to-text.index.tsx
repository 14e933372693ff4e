import { createFileRoute } from '@tanstack/react-router';
import { RedirectFailedPage } from '../../../../views/shell/RedirectFailedPage.tsx';
import { leadOn } from '../../../-guards.ts';

export const Route = createFileRoute('/_console/org/projects/playground/speech-to-text/')({ beforeLoad: (opened) => leadOn('/org/projects/playground/speech-to-text/', opened), component: RedirectFailedPage });
