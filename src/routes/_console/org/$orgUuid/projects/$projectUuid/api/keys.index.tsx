import { createFileRoute } from '@tanstack/react-router';
import { ApiKeysPage } from '../../../../../../../views/project/ApiKeysPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/api/keys/')({ component: ApiKeysPage });
