import { createFileRoute } from '@tanstack/react-router';
import { RedirectFailedPage } from '../../views/shell/RedirectFailedPage.tsx';
import { leadOn } from '../-guards.ts';

export const Route = createFileRoute('/_console/playground/speech-to-text/')({ beforeLoad: (opened) => leadOn('/playground/speech-to-text/', opened), component: RedirectFailedPage });
