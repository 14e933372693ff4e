import { Box, Button, Dialog, Heading, Text, chakra } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { FRESH_SIGN_IN_MINUTES, type AccountDeletion, type AccountDeletionCheck } from '#contract/accounts.ts';
import type { AccountDeletionActor } from '#machines/workspace/settings/user/deletion/machine.ts';
import type { UserSettingsActor } from '#machines/workspace/settings/user/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Panel } from '../ui/Panel.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { useEmail } from '../ui/state.ts';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';

/** Deletes the person's account, once nothing stands in the way and they have confirmed it. */
export function AccountDeletionPanel({ settings }: { settings: UserSettingsActor }) {
  const deletion = useSelector(settings, (snapshot) => snapshot.children.accountDeletion);
  const dismiss = () => {
    const { accountDeletionForm } = deletion?.getSnapshot().children ?? {};
    if (accountDeletionForm) accountDeletionForm.send({ type: 'dismiss.requested' });
    else deletion?.send({ type: 'deletion.dismissed' });
  };
  return (
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        Delete your account
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        Your name, e-mail address and ways to sign in are removed, and you leave all of your organizations. What you did
        there stays in their logs and usage, under a pseudonym. This can&apos;t be undone.
      </Text>
      <Button variant="outline" colorPalette="red" onClick={() => settings.send({ type: 'deletion.requested' })}>
        Delete account
      </Button>
      <ModalDialog title="Delete your account?" open={deletion !== undefined} onClose={dismiss}>
        {deletion ? <Question actor={deletion} onCancel={dismiss} /> : null}
      </ModalDialog>
    </Panel>
  );
}

type QuestionProps = { actor: AccountDeletionActor; onCancel: () => void };

function Question({ actor, onCancel }: QuestionProps) {
  const { check, failure } = useSelector(actor, (snapshot) => snapshot.context);
  const form = useSelector(actor, (snapshot) => snapshot.children.accountDeletionForm);
  const tags = useSelector(
    actor,
    (snapshot) => ({
      isLoading: snapshot.hasTag('loading'),
      isFailed: snapshot.hasTag('failed'),
      isBlocked: snapshot.hasTag('blocked'),
      isUnconfirmed: snapshot.hasTag('unconfirmed'),
    }),
    shallowEqual,
  );
  if (form && check) return <Confirmation form={form} check={check} />;
  return (
    <>
      <Text role="status" fontSize="sm" color="fg.muted">
        {tags.isLoading ? 'Checking what belongs to your account…' : null}
      </Text>
      <FailureAlert failure={tags.isFailed ? failure : null} title="What belongs to your account could not be checked.">
        <RetryButton actor={actor} />
      </FailureAlert>
      {tags.isBlocked && check ? <OwnedAlone organizations={check.organizations} /> : null}
      {tags.isUnconfirmed ? (
        <Text fontSize="sm" color="fg.muted">
          {`Your account has no password. To confirm, sign out, sign in again with single sign-on, and come back to this page within ${FRESH_SIGN_IN_MINUTES} minutes.`}
        </Text>
      ) : null}
      <Dialog.Footer p="0" pt="5">
        <Button variant="outline" onClick={onCancel}>
          Cancel
        </Button>
        {tags.isBlocked ? <Button onClick={() => actor.send({ type: 'retry.requested' })}>Check again</Button> : null}
        {tags.isUnconfirmed ? <Button onClick={() => actor.send({ type: 'signIn.requested' })}>Sign out</Button> : null}
      </Dialog.Footer>
    </>
  );
}

/** The organizations whose only owner is the person, with links to change that. */
function OwnedAlone({ organizations }: Pick<AccountDeletionCheck, 'organizations'>) {
  return (
    <Box fontSize="sm">
      <Text color="fg.muted">
        {`You are the only owner of ${organizations.length === 1 ? 'this organization' : 'these organizations'}. Before you go, make somebody else an owner, or delete it:`}
      </Text>
      <chakra.ul
        listStyleType="none"
        mt="3"
        maxH="240px"
        overflowY="auto"
        tabIndex={0}
        aria-label="Organizations that need another owner"
        borderWidth="1px"
        borderRadius="l2"
        focusRing="outside"
      >
        {organizations.map(({ uuid, name, others }) => (
          <chakra.li key={uuid} px="4" py="3" borderBottomWidth="1px" _last={{ borderBottomWidth: 0 }}>
            <Text fontWeight="medium" overflowWrap="anywhere">
              <bdi>{name}</bdi>
            </Text>
            <Text color="fg.muted">
              <span>{othersText(others)}</span>{' '}
              {others > 0 ? (
                <span>
                  <TextLink to={{ screen: 'members', orgUuid: uuid }}>Choose an owner</TextLink>
                  {' or '}
                  <TextLink to={{ screen: 'organizationSettings', orgUuid: uuid }}>delete it</TextLink>
                </span>
              ) : (
                <TextLink to={{ screen: 'organizationSettings', orgUuid: uuid }}>Delete it</TextLink>
              )}
            </Text>
          </chakra.li>
        ))}
      </chakra.ul>
    </Box>
  );
}

function othersText(others: number): string {
  if (others === 0) return 'Nobody else belongs to it.';
  return others === 1 ? 'One more person belongs to it.' : `${others} more people belong to it.`;
}

function Confirmation({ form, check }: { form: FormActor<AccountDeletion>; check: AccountDeletionCheck }) {
  const email = useEmail();
  return (
    <Form actor={form}>
      <chakra.ul fontSize="sm" color="fg.muted" ps="5" listStyleType="disc">
        <li>You are signed out everywhere, at once.</li>
        <li>{revokedText(check.api_keys)}</li>
        <li>Recordings and transcripts belong to their projects and stay there.</li>
      </chakra.ul>
      <FormField
        actor={form}
        field="email"
        id="deletion-email"
        label="Type your e-mail address to confirm"
        hint={email}
        autoComplete="off"
        required
        takesFocus
      />
      {check.confirmed_by === 'password' ? (
        <FormField
          actor={form}
          field="password"
          id="deletion-password"
          label="Your password"
          type="password"
          autoComplete="current-password"
          required
        />
      ) : null}
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => form.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton colorPalette="red" busy={useSubmitting(form)} busyLabel="Deleting…">
          Delete account
        </SubmitButton>
      </Dialog.Footer>
    </Form>
  );
}

function revokedText(keys: number): string {
  if (keys === 0) return 'No API key is revoked: you made none in your organizations.';
  const revoked =
    keys === 1
      ? 'The API key that you made in your organizations is'
      : `The ${keys} API keys that you made in your organizations are`;
  return `${revoked} revoked. Programs that use ${keys === 1 ? 'it' : 'them'} stop.`;
}
