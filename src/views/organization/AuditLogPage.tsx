import { Box, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { RefCallback } from 'react';
import type { AuditAction } from '#contract/audit.ts';
import type { AuditItem } from '#machines/workspace/auditLog/machine.ts';
import { Age } from '../ui/Age.tsx';
import { EmptyLine, PagedItems } from '../ui/PagedItems.tsx';
import { capitalize, formatZoned } from '../ui/format.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { RetentionText } from '../ui/RetentionText.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useWorkspace, useZone } from '../ui/state.ts';

/** Who changed what in an organization, and when; for its owners. */
export function AuditLogPage() {
  const log = useSelector(useWorkspace(), (snapshot) => snapshot.children.auditLog);
  return (
    <Page
      heading="Audit log"
      intro={
        <span>
          Who changed what, newest first.
          <RetentionText of="audit" />
        </span>
      }
    >
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

/** The action; the subject's name follows it. */
const DEEDS: Record<AuditAction, string> = {
  'organization.created': 'created the organization',
  'organization.updated': 'changed the organization',
  'organization.deleted': 'deleted the organization',
  'member.joined': 'let in',
  'member.role_changed': 'changed the role of',
  'member.removed': 'removed',
  'invitation.created': 'invited',
  'invitation.changed': 'changed the invitation of',
  'invitation.resent': 'resent the invitation of',
  'invitation.revoked': 'revoked the invitation of',
  'project.created': 'created the project',
  'project.updated': 'changed the project',
  'project.deleted': 'deleted the project',
  'project_member.added': 'added to the project:',
  'project_member.removed': 'removed from the project:',
  'api_key.created': 'created the API key',
  'api_key.revoked': 'revoked the API key',
  'webhook_secret.shown': 'viewed the webhook signing secret of',
  'webhook_secret.rolled': 'rolled the webhook signing secret of',
  'webhook.sent_again': 'resent the webhook of',
  'limits.changed': 'changed limits of',
  'limit_increase.requested': 'asked for a higher limit of',
  'limit_increase.decided': 'decided on a higher limit of',
  'billing.updated': 'changed the settings of',
  'payment.begun': 'began a payment in',
  'payment_method.setup_begun': 'began to set up a payment method in',
  'payment_method.changed': 'stored the payment method',
  'payment_method.removed': 'removed the payment method',
  'receipt_links.withdrawn': 'withdrew the links to',
  'payment_error.reset': 'reset the payment error in',
  'credit.entered': 'gave credit in',
  'correction.entered': 'corrected the balance in',
};

/** The action if the actor is also the subject; no name follows. */
const OWN_DEEDS: Partial<Record<AuditAction, string>> = {
  'member.joined': 'joined the organization',
  'member.removed': 'left the organization',
};

/** From `md` on, three columns: when, what, who. */
const COLUMNS = { base: 'minmax(0, 1fr)', md: '208px minmax(0, 1fr) minmax(0, 200px)' };

function EntryRow({ entry, rowRef }: { entry: AuditItem; rowRef: RefCallback<HTMLElement> | undefined }) {
  const { id, actor, action, subject, at } = entry;
  const zone = useZone();
  const own = subject === actor ? OWN_DEEDS[action] : undefined;
  return (
    <Box
      as="li"
      ref={rowRef}
      data-row={id}
      display="grid"
      gridTemplateColumns={COLUMNS}
      columnGap="6"
      rowGap="1"
      px="3"
      py="3"
      borderBottomWidth="1px"
      _last={{ borderBottomWidth: 0 }}
      overflowWrap="anywhere"
    >
      <Flex direction={{ md: 'column' }} wrap="wrap" columnGap="3" fontSize="sm" color="fg.muted">
        <Text as="span" fontVariantNumeric="tabular-nums">
          {formatZoned(at, zone)}
        </Text>{' '}
        <Age at={at} />
      </Flex>{' '}
      <Box minW="0">
        <Text fontWeight="medium">
          <span>{capitalize(own ?? DEEDS[action])}</span>
          {own === undefined ? (
            <>
              {' '}
              <bdi>{subject}</bdi>
            </>
          ) : null}
        </Text>
        <Particulars entry={entry} />
      </Box>{' '}
      <Text fontSize="sm" minW="0">
        {own === undefined ? <span>By </span> : null}
        <bdi>{actor}</bdi>
      </Text>
    </Box>
  );
}

/** Further details of an entry. */
function Particulars({ entry: { subject, project, detail, request_id } }: { entry: AuditItem }) {
  const otherProject = project === subject ? null : project;
  return (
    <>
      {detail || otherProject ? (
        <Text fontSize="sm" color="fg.muted" mt="0.5">
          <bdi>{detail}</bdi>
          {otherProject ? (
            <>
              <span>{detail ? ' · Project ' : 'Project '}</span>
              <bdi>{otherProject}</bdi>
            </>
          ) : null}
        </Text>
      ) : null}
      {request_id ? (
        <Flex align="center" gap="1" minW="0" fontSize="xs" color="fg.muted">
          <Text as="span" minW="0">
            {`Request ${request_id}`}
          </Text>
          <CopyButton text={request_id} label="Request ID" />
        </Flex>
      ) : null}
    </>
  );
}
