import { Box, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { RefCallback } from 'react';
import type { AuditAction } from '#contract/audit.ts';
import type { AuditItem } from '#machines/workspace/auditLog/machine.ts';
import { Age } from '../playground/Age.tsx';
import { EmptyLine, PagedItems } from '../playground/async/PagedItems.tsx';
import { formatUtc } from '../playground/format.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useWorkspace } from '../ui/state.ts';

/** What was changed in an organization, by whom and when; for its owners. */
export function AuditLogPage() {
  const log = useSelector(useWorkspace(), (snapshot) => snapshot.children.auditLog);
  return (
    <Page heading="Audit log" intro="Who changed what, newest first.">
      {log ? (
        <Panel p={{ base: '2', md: '3' }}>
          <PagedItems
            list={log}
            label="Audit log"
            failed="The audit log could not be loaded."
            empty={<EmptyLine>Nothing has been changed yet.</EmptyLine>}
          >
            {(entry, ref) => <EntryRow key={entry.id} entry={entry} rowRef={ref} />}
          </PagedItems>
        </Panel>
      ) : null}
    </Page>
  );
}

/** What was done, followed by what it was done to. */
const DEEDS: Record<AuditAction, string> = {
  'organization.created': 'created the organization',
  'organization.updated': 'changed the organization',
  'member.joined': 'let in',
  'member.role_changed': 'changed the role of',
  'member.removed': 'removed',
  'invitation.created': 'invited',
  'invitation.changed': 'changed the invitation of',
  'invitation.resent': 'sent again the invitation of',
  'invitation.revoked': 'revoked the invitation of',
  'project.created': 'created the project',
  'project.updated': 'changed the project',
  'project.deleted': 'deleted the project',
  'project_member.added': 'added to the project:',
  'project_member.removed': 'removed from the project:',
  'api_key.created': 'created the API key',
  'api_key.revoked': 'revoked the API key',
  'limits.changed': 'changed limits of',
  'limit_increase.requested': 'asked for a higher limit of',
  'limit_increase.decided': 'decided on a higher limit of',
  'billing.updated': 'changed the settings of',
  'payment.begun': 'began a payment in',
  'payment_method.setup_begun': 'began to set up a payment method in',
  'payment_method.changed': 'stored the payment method',
  'payment_method.removed': 'removed the payment method',
  'payment_error.reset': 'reset the payment error in',
  'credit.entered': 'gave credit in',
  'correction.entered': 'corrected the balance in',
};

/** The same where people did it to themselves. */
const OWN_DEEDS: Partial<Record<AuditAction, string>> = {
  'member.joined': 'joined the organization',
  'member.removed': 'left the organization',
};

function EntryRow({ entry, rowRef }: { entry: AuditItem; rowRef: RefCallback<HTMLElement> | undefined }) {
  const { id, actor, action, subject, project, detail, at, request_id } = entry;
  const otherProject = project === subject ? null : project;
  const own = subject === actor ? OWN_DEEDS[action] : undefined;
  return (
    <Box
      as="li"
      ref={rowRef}
      data-row={id}
      px="3"
      py="3"
      borderBottomWidth="1px"
      _last={{ borderBottomWidth: 0 }}
      overflowWrap="anywhere"
    >
      <Flex wrap="wrap" justify="space-between" columnGap="4" rowGap="0.5">
        <Text flex="1 1 240px" minW="0">
          <Text as="span" fontWeight="medium">
            <bdi>{actor}</bdi>
          </Text>{' '}
          {own ?? DEEDS[action]}
          {own === undefined ? (
            <Text as="span" fontWeight="medium">
              {' '}
              <bdi>{subject}</bdi>
            </Text>
          ) : null}
        </Text>
        <Text as="span" fontSize="sm" color="fg.muted">
          <Age at={at} />
        </Text>
      </Flex>
      {detail || otherProject ? (
        <Text fontSize="sm" color="fg.muted" mt="0.5">
          <bdi>{detail}</bdi>
          {otherProject ? (
            <>
              {detail ? ' · ' : ''}Project <bdi>{otherProject}</bdi>
            </>
          ) : null}
        </Text>
      ) : null}
      <Flex wrap="wrap" align="center" columnGap="3" fontSize="xs" color="fg.muted" minW="0">
        <span>{formatUtc(at)}</span>
        {request_id ? (
          <Flex align="center" gap="1" minW="0">
            <Text as="span" minW="0">
              Request {request_id}
            </Text>
            <CopyButton text={request_id} label="Request id" />
          </Flex>
        ) : null}
      </Flex>
    </Box>
  );
}
