import { createFileRoute } from '@tanstack/react-router';
import { UsagePage } from '../../../../../../../views/usage/UsagePage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/usage/activity/')({ component: UsagePage });
