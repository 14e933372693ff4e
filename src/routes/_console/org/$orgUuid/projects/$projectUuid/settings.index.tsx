import { createFileRoute } from '@tanstack/react-router';
import { ProjectSettingsPage } from '../../../../../../views/project/ProjectSettingsPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/settings/')({ component: ProjectSettingsPage });
