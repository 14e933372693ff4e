import { chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { createPassingTime } from '../../behaviours/passingTime.ts';
import { formatAge, formatMoment } from './format.ts';

const passingTime = createPassingTime();

/** How long ago something happened, with the exact time as tooltip. Updates itself, and renders only for a new text. */
export function Age({ at }: { at: string }) {
  const age = useSelector(passingTime, () => formatAge(at));
  return (
    <chakra.time dateTime={at} title={formatMoment(at)} whiteSpace="nowrap">
      {age}
    </chakra.time>
  );
}
