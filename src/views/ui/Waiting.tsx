import { Skeleton, type SkeletonProps } from '@chakra-ui/react';

/** Stands where something is on its way, in the size it will have; `label` is what it says to who can't see it. */
export const Waiting = ({ label, ...props }: Omit<SkeletonProps, 'role'> & { label: string }) => (
  <Skeleton role="status" aria-label={label} borderRadius="l3" {...props} />
);
