import { createFileRoute } from '@tanstack/react-router';
import { ProjectPage } from '../../../../../../views/project/ProjectPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/')({ component: ProjectPage });
