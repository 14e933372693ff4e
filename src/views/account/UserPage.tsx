import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Building2, LogOut, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Membership } from '#contract/organizations.ts';
import { FORM_WIDTH } from '../../theme/measures.ts';
import { ThemeSwitch } from '../ui/ThemeSwitch.tsx';
import { ZoneSwitch } from '../ui/ZoneSwitch.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useEmail, useMemberships, useSignOut, useWorkspace } from '../ui/state.ts';
import { AccountDeletionPanel } from './AccountDeletion.tsx';
import { DataPanel } from './DataPanel.tsx';
import { PasswordForm, ProfileForm } from './UserForms.tsx';

/** The person's account: e-mail, name, password, theme, time zone, organizations, data, sign-out, deletion (ACC-09). */
export function UserPage() {
  const signOut = useSignOut();
  const email = useEmail();
  const settings = useSelector(useWorkspace(), (snapshot) => snapshot.children.userSettings);
  return (
    <Page heading="Your account" intro="Your profile and sign-in.">
      <Flex direction="column" gap="6" maxW={FORM_WIDTH}>
        <Panel>
          <Row label="E-mail">
            <Text overflowWrap="anywhere">
              <bdi>{email}</bdi>
            </Text>
          </Row>
          <Row label="Profile">{settings ? <ProfileForm settings={settings} /> : null}</Row>
          <Row label="Theme">
            <ThemeSwitch labelled />
          </Row>
          <Row label="Times">
            <ZoneSwitch />
          </Row>
          <Row label="Session">
            <Button variant="outline" size="sm" onClick={signOut}>
              <LogOut size={15} aria-hidden />
              Sign out
            </Button>
          </Row>
        </Panel>
        {settings ? <PasswordForm settings={settings} /> : null}
        <Organizations />
        {settings ? <DataPanel settings={settings} /> : null}
        {settings ? <AccountDeletionPanel settings={settings} /> : null}
      </Flex>
    </Page>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Flex
      direction={{ base: 'column', md: 'row' }}
      align={{ md: 'center' }}
      gap={{ base: '2', md: '6' }}
      py="4"
      _first={{ pt: 0 }}
      _last={{ pb: 0 }}
      _notFirst={{ borderTopWidth: '1px' }}
    >
      <Heading as="h2" w={{ md: '160px' }} flexShrink="0" textStyle="sm" fontWeight="normal" color="fg.muted">
        {label}
      </Heading>
      <Box minW="0" flex="1">
        {children}
      </Box>
    </Flex>
  );
}

function Organizations() {
  const workspace = useWorkspace();
  const memberships = useMemberships();
  const create = () => workspace.send({ type: 'organization.create.requested' });
  if (memberships.length === 0)
    return (
      <EmptyState
        icon={<Building2 size={22} />}
        title="You don't belong to an organization yet."
        action={<Button onClick={create}>Create organization</Button>}
      >
        Projects, and everything that you transcribe in them, belong to an organization.
      </EmptyState>
    );
  return (
    <Box as="section" aria-labelledby="organizations">
      <Flex wrap="wrap" align="center" justify="space-between" gap="4" mb="3">
        <Heading as="h2" id="organizations" fontSize="lg" fontWeight="semibold">
          Organizations
        </Heading>
        <Button variant="outline" size="sm" onClick={create}>
          <Plus size={15} aria-hidden />
          Create organization
        </Button>
      </Flex>
      <Panel as="ul" p="0" listStyleType="none" overflow="hidden">
        {memberships.map((membership) => (
          <OrganizationRow key={membership.organization.uuid} membership={membership} />
        ))}
      </Panel>
    </Box>
  );
}

function OrganizationRow({ membership: { organization, projects } }: { membership: Membership }) {
  return (
    <Box as="li" _notFirst={{ borderTopWidth: '1px' }}>
      <ScreenLink
        to={{ screen: 'organization', orgUuid: organization.uuid }}
        display="flex"
        alignItems="center"
        gap="3"
        px={{ base: '5', md: '6' }}
        py="4"
        borderRadius="0"
        focusRing="inside"
        transition="background 150ms"
        _hover={{ bg: 'bg.subtle' }}
      >
        <Text as="span" flex="1" minW="0" fontWeight="medium" overflowWrap="anywhere">
          <bdi>{organization.name}</bdi>
        </Text>
        <Text as="span" flexShrink="0" fontSize="sm" color="fg.muted">
          {projects.length === 1 ? '1 project' : `${projects.length} projects`}
        </Text>
      </ScreenLink>
    </Box>
  );
}
