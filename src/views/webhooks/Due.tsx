import { chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { createPassingTime } from '../../behaviours/passingTime.ts';
import { formatMoment } from '../ui/format.ts';
import { useZone } from '../ui/state.ts';
import { formatDue } from './words.ts';

const passingTime = createPassingTime();

/** How soon the next attempt is, with the exact time as tooltip. Updates itself. */
export function Due({ at }: { at: string }) {
  const zone = useZone();
  const due = useSelector(passingTime, () => formatDue(at));
  return (
    <chakra.time dateTime={at} title={formatMoment(at, zone)} whiteSpace="nowrap">
      {due}
    </chakra.time>
  );
}
