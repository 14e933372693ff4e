import { createFileRoute } from '@tanstack/react-router';
import { UnavailablePage } from '../../../../../../../views/shell/UnavailablePage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/api/logs/')({ component: UnavailablePage });
