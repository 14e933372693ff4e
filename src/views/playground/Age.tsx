import { chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { createPassingTime } from '../../behaviours/passingTime.ts';
import { formatAge, formatMoment } from './format.ts';

const passingTime = createPassingTime();

/** When something was made: how long ago, with the exact moment as its title. Grows older by itself, and is drawn anew only when its text changes. */
export function Age({ at }: { at: string }) {
  const age = useSelector(passingTime, () => formatAge(at));
  return (
    <chakra.time dateTime={at} title={formatMoment(at)} whiteSpace="nowrap">
      {age}
    </chakra.time>
  );
}
