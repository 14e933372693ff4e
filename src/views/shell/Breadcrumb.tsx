import { Box, Flex, Text } from '@chakra-ui/react';
import { ChevronRight } from 'lucide-react';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useEmail, useMembership, useProject, useRoute } from '../ui/state.ts';

/** The e-mail on the user's own pages, else the organization and the project (SHL-03). */
export function Breadcrumb() {
  const route = useRoute();
  const email = useEmail();
  const organization = useMembership()?.organization;
  const project = useProject();
  const isInProject = 'projectUuid' in route;
  return (
    <Box as="nav" aria-label="Breadcrumb" flex="1" minW="0" fontSize="sm" color="fg.muted">
      {route.screen === 'user' || !organization ? (
        <Text truncate title={email}>
          <bdi>{email}</bdi>
        </Text>
      ) : (
        <Flex as="ol" align="center" gap="1.5" listStyleType="none" minW="0">
          <Box as="li" minW="0" flexShrink={isInProject ? 4 : 1}>
            <ScreenLink
              to={{ screen: 'organization', orgUuid: organization.uuid }}
              display="block"
              truncate
              title={organization.name}
              _hover={{ color: 'fg' }}
            >
              <bdi>{organization.name}</bdi>
            </ScreenLink>
          </Box>
          {isInProject && project ? (
            <>
              <Box as="li" aria-hidden flexShrink="0">
                <ChevronRight size={14} />
              </Box>
              <Text as="li" truncate title={project.name} color="fg">
                <bdi>{project.name}</bdi>
              </Text>
            </>
          ) : null}
        </Flex>
      )}
    </Box>
  );
}
