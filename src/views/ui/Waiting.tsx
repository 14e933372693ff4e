import { Skeleton, type SkeletonProps } from '@chakra-ui/react';

/** A placeholder with the size of the content that is loading. @param label for screen readers */
export const Waiting = ({ label, ...props }: Omit<SkeletonProps, 'role'> & { label: string }) => (
  <Skeleton role="status" aria-label={label} borderRadius="l3" {...props} />
);
