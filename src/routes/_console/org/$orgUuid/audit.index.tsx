import { createFileRoute } from '@tanstack/react-router';
import { AuditLogPage } from '../../../../views/organization/AuditLogPage.tsx';

export const Route = createFileRoute('/_console/org/$orgUuid/audit/')({ component: AuditLogPage });
