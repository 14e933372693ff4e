import { chakra } from '@chakra-ui/react';
import { formatAge, formatMoment } from './format.ts';

/** When something was made: how long ago, with the exact moment as its title. */
export function Age({ at }: { at: string }) {
  return (
    <chakra.time dateTime={at} title={formatMoment(at)} whiteSpace="nowrap">
      {formatAge(at)}
    </chakra.time>
  );
}
