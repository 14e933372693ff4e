import { useSelector } from '@xstate/react';
import type { MouseEvent } from 'react';
import { stepByKey, stepUnder } from '../../../behaviours/chartSteps.ts';
import type { PlotProps, StepTexts } from './plotProps.ts';
import { PLOT_HEIGHT } from './sizes.ts';

type StepsProps = Pick<PlotProps, 'actor' | 'stepStarts' | 'label'> & Pick<StepTexts, 'describe'> & { hintId: string };

/** The pointer and keyboard target, below the drawing. One slider for all time steps: there may be hundreds. */
export function PlotSteps({ actor, stepStarts, label, hintId, describe }: StepsProps) {
  const pointed = useSelector(actor, ({ context }) => context.pointed);
  const last = stepStarts.length - 1;
  const index = pointed ?? last;
  const point = (to: number | undefined) => {
    if (to !== undefined && to !== pointed) actor.send({ type: 'bar.pointed', index: to });
  };
  const pointUnder = ({ currentTarget, clientX }: MouseEvent<Element>) =>
    point(stepUnder(currentTarget, clientX, stepStarts.length));
  return (
    <g
      data-steps
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-describedby={hintId}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index}
      aria-valuetext={describe(index)}
      onPointerMove={pointUnder}
      // Needed for touch: the pointer leaves before the click, and a tap would point at nothing.
      onClick={pointUnder}
      onFocus={() => point(index)}
      onBlur={() => actor.send({ type: 'bar.pointed', index: null })}
      onKeyDown={(event) => {
        const next = stepByKey(event.key, index, last);
        if (next !== undefined) event.preventDefault();
        point(next);
      }}
    >
      <rect width={stepStarts.length} height={PLOT_HEIGHT} fill="transparent" />
      <rect
        data-bar
        x={index}
        width={1}
        height={PLOT_HEIGHT}
        fill={pointed === null ? 'transparent' : 'var(--chakra-colors-bg-emphasized)'}
        vectorEffect="non-scaling-stroke"
      />
    </g>
  );
}
