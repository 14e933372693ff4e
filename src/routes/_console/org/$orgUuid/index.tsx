import { createFileRoute } from '@tanstack/react-router';
import { DashboardPage } from '../../../../views/organization/DashboardPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/')({ component: DashboardPage });
