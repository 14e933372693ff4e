import { Flex, Spinner } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { lazy, Suspense } from 'react';
import { visitorOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { fetchVisitorScreens } from '../../behaviours/lateViews.ts';
import { headingOf } from '../../screens/titles.ts';
import { useRoute } from '../ui/state.ts';
import { PublicLayout } from './PublicLayout.tsx';

// The root has fetched this code before VisitorPage renders it.
const Screens = lazy(async () => ({ default: (await fetchVisitorScreens()).VisitorScreens }));

/** A public screen; a spinner until its code and actor are loaded. */
export function VisitorPage() {
  const visitor = useSelector(useRoot(), visitorOf);
  if (!visitor) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      <Screens visitor={visitor} />
    </Suspense>
  );
}

function Loading() {
  return (
    <PublicLayout heading={headingOf(useRoute())} intro="Loading…">
      <Flex justify="center" py="4">
        <Spinner color="brand.solid" aria-hidden />
      </Flex>
    </PublicLayout>
  );
}
