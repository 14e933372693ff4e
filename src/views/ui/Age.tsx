import { useSelector } from '@xstate/react';
import { createPassingTime } from '../../behaviours/passingTime.ts';
import { formatAge, formatMoment } from './format.ts';
import { useZone } from './state.ts';

const passingTime = createPassingTime();

/** How long ago something happened, with the exact time as tooltip. Updates itself, and renders only for a new text. */
export function Age({ at }: { at: string }) {
  const zone = useZone();
  const age = useSelector(passingTime, () => formatAge(at));
  return (
    <time className="age" dateTime={at} title={formatMoment(at, zone)}>
      {age}
    </time>
  );
}
