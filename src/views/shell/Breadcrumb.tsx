import { Box, Flex, Text } from '@chakra-ui/react';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { headingOf } from '../../screens/titles.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useEmail, useMembership, useProject, useRoute } from '../ui/state.ts';

/** Their home is the page that an organization and a project are themselves. */
const isHome = ({ screen }: Route) => screen === 'organization' || screen === 'project';

/** The e-mail on the user's own pages, else the organization and the project; then the page itself (SHL-03, UXP-42). */
export function Breadcrumb() {
  const route = useRoute();
  const email = useEmail();
  const organization = useMembership()?.organization;
  const project = useProject();
  const isOwn = route.screen === 'user' || !organization;
  return (
    <Box as="nav" aria-label="Breadcrumb" flex="1" minW="0" fontSize="sm" color="fg.muted">
      <Flex as="ol" align="center" gap="1.5" listStyleType="none" minW="0">
        {isOwn ? (
          <Crumb title={email}>{email}</Crumb>
        ) : (
          <Crumb title={organization.name} to={{ screen: 'organization', orgUuid: organization.uuid }}>
            {organization.name}
          </Crumb>
        )}
        {!isOwn && 'projectUuid' in route && project ? (
          <Crumb
            title={project.name}
            to={{ screen: 'project', orgUuid: route.orgUuid, projectUuid: project.uuid }}
            follows
          >
            {project.name}
          </Crumb>
        ) : null}
        {isHome(route) ? null : (
          <Crumb title={headingOf(route)} isCurrent follows>
            {headingOf(route)}
          </Crumb>
        )}
      </Flex>
    </Box>
  );
}

type CrumbProps = { title: string; to?: Route; isCurrent?: boolean; follows?: boolean; children: ReactNode };

/** One step; the names of places give way first. */
function Crumb({ title, to, isCurrent = false, follows = false, children }: CrumbProps) {
  return (
    <Flex
      as="li"
      align="center"
      gap="1.5"
      minW={follows ? '9' : '4'}
      maxW={isCurrent ? '55%' : undefined}
      flexShrink={isCurrent ? 0 : 1}
    >
      {follows ? (
        <Box as="span" aria-hidden flexShrink="0">
          <ChevronRight size={14} />
        </Box>
      ) : null}
      {to ? (
        <ScreenLink to={to} display="block" minW="0" truncate title={title} _hover={{ color: 'fg' }}>
          <bdi>{children}</bdi>
        </ScreenLink>
      ) : (
        <Text
          as="span"
          minW="0"
          truncate
          title={title}
          aria-current={isCurrent ? 'page' : undefined}
          color={isCurrent ? 'fg' : undefined}
        >
          <bdi>{children}</bdi>
        </Text>
      )}
    </Flex>
  );
}
