import { Box, Flex, Heading } from '@chakra-ui/react';
import type { Route } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';
import { headingOf } from '../../screens/titles.ts';
import { useMayOpen } from '../ui/rights.ts';
import { TextLink } from '../ui/TextLink.tsx';

/** Links to the organization's screens that the role may open (ORG-04, ORG-08). */
export function QuickLinks({ orgUuid }: { orgUuid: string }) {
  return (
    <Box as="section" aria-labelledby="quick-links">
      <Heading as="h2" id="quick-links" mb="3" fontSize="lg" fontWeight="semibold">
        Quick links
      </Heading>
      <Flex as="ul" wrap="wrap" columnGap="6" rowGap="2" listStyleType="none">
        {linksOf(orgUuid).map((to) => (
          <QuickLink key={to.screen} to={to} />
        ))}
      </Flex>
    </Box>
  );
}

function QuickLink({ to }: { to: OrganizationRoute }) {
  const mayOpen = useMayOpen(to.screen);
  if (!mayOpen) return null;
  return (
    <li>
      <TextLink to={to}>{headingOf(to)}</TextLink>
    </li>
  );
}

type OrganizationRoute = Extract<Route, { screen: ScreenName }>;

const linksOf = (orgUuid: string): OrganizationRoute[] => [
  { screen: 'members', orgUuid },
  { screen: 'invitation', orgUuid },
  { screen: 'organizationSettings', orgUuid },
  { screen: 'auditLog', orgUuid },
];
