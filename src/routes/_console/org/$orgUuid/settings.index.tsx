import { createFileRoute } from '@tanstack/react-router';
import { OrganizationSettingsPage } from '../../../../views/organization/OrganizationSettingsPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/settings/')({ component: OrganizationSettingsPage });
