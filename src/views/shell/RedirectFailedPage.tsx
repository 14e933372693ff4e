import { Button } from '@chakra-ui/react';
import { NO_PLACE } from '#machines/workspace/texts.ts';
import { headingOf } from '../../screens/titles.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useRoute } from '../ui/state.ts';

/** Shown for a short address if there is no organization or project to redirect to (NAV-04). */
export function RedirectFailedPage() {
  const route = useRoute();
  const orgUuid = useMembership()?.organization.uuid;
  return (
    <Page heading={headingOf(route)}>
      <EmptyState
        title={orgUuid ? NO_PLACE.project : NO_PLACE.organization}
        action={
          <Button asChild>
            <ScreenLink to={orgUuid ? { screen: 'organization', orgUuid } : { screen: 'home' }} borderRadius="l2">
              Go to the organization dashboard
            </ScreenLink>
          </Button>
        }
      >
        Use the organization dashboard instead.
      </EmptyState>
    </Page>
  );
}
