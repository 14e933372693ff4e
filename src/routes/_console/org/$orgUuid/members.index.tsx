import { createFileRoute } from '@tanstack/react-router';
import { MembersPage } from '../../../../views/organization/MembersPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/members/')({ component: MembersPage });
