import { Box, Flex, Heading } from '@chakra-ui/react';
import type { Membership } from '#contract/organizations.ts';
import type { Route } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';
import { canOpen } from '#machines/workspace/access.ts';
import { headingOf } from '../../screens/titles.ts';
import { TextLink } from '../ui/TextLink.tsx';

/** Links to the organization's screens that the role may open (ORG-04, ORG-08). */
export function QuickLinks({ membership: { organization, role } }: { membership: Membership }) {
  const links = linksOf(organization.uuid).filter(({ screen }) => canOpen(role, screen));
  return (
    <Box as="section" aria-labelledby="quick-links">
      <Heading as="h2" id="quick-links" mb="3" fontSize="lg" fontWeight="semibold">
        Quick links
      </Heading>
      <Flex as="ul" wrap="wrap" columnGap="6" rowGap="2" listStyleType="none">
        {links.map((to) => (
          <li key={to.screen}>
            <TextLink to={to}>{headingOf(to)}</TextLink>
          </li>
        ))}
      </Flex>
    </Box>
  );
}

type OrganizationRoute = Extract<Route, { screen: ScreenName }>;

const linksOf = (orgUuid: string): OrganizationRoute[] => [
  { screen: 'members', orgUuid },
  { screen: 'invitation', orgUuid },
  { screen: 'organizationSettings', orgUuid },
  { screen: 'auditLog', orgUuid },
];
