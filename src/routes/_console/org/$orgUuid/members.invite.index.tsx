import { createFileRoute } from '@tanstack/react-router';
import { InvitePage } from '../../../../views/organization/InvitePage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/members/invite/')({ component: InvitePage });
