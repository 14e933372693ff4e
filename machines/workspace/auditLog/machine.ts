// Models the audit log of an organization, paged, newest first.
// Owned by the workspace, while the screen of the log is open.
import type { ActorRefFrom } from 'xstate';
import type { AuditEntry } from '#contract/audit.ts';
import { createPagedList } from '../../shared/pagedList/machine.ts';

/** An entry with its UUID as `id`, which lists need. */
export type AuditItem = AuditEntry & { id: string };

export const auditLogMachine = createPagedList<AuditItem>('auditLog');

export type AuditLogActor = ActorRefFrom<typeof auditLogMachine>;
