import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { formatValue, type Series, type Unit } from './bars.ts';
import type { PlotActor } from './plotProps.ts';

export type LegendEntry = {
  name: string;
  note?: string;
  colour: string;
  /** The `stroke-dasharray` of a line; undefined for bars. */
  dash?: string;
  /** The figure of the time step with index `pointed`; null for the whole period. */
  figure: (pointed: number | null) => string;
};

/** A chart's legend, with the figures of the hovered time step or of the whole period. */
export function Legend({
  actor,
  label,
  entries,
}: {
  actor: PlotActor;
  label: string;
  entries: readonly LegendEntry[];
}) {
  const pointed = useSelector(actor, ({ context }) => context.pointed);
  return (
    <Flex as="ul" aria-label={label} listStyleType="none" wrap="wrap" columnGap="6" rowGap="2" mt="4" fontSize="sm">
      {entries.map(({ name, note, colour, dash, figure }) => (
        <Flex as="li" key={`${name} ${colour}`} align="center" gap="2" minW="0">
          {dash === undefined ? (
            <Box
              boxSize="3"
              borderRadius="2px"
              flexShrink="0"
              aria-hidden
              style={{ background: colour, forcedColorAdjust: 'none' }}
            />
          ) : (
            <Stroke {...{ colour, dash }} />
          )}
          <Text minW="0" overflowWrap="anywhere">
            <span>{name}</span> {note === undefined ? null : <chakra.span color="fg.muted">{`${note} `}</chakra.span>}
            <chakra.span fontWeight="medium" fontVariantNumeric="tabular-nums">
              {figure(pointed)}
            </chakra.span>
          </Text>
        </Flex>
      ))}
    </Flex>
  );
}

/** A sample of a line. */
const Stroke = ({ colour, dash }: { colour: string; dash: string }) => (
  <svg width="24" height="12" aria-hidden style={{ flexShrink: 0 }}>
    <line x1="0" y1="6" x2="24" y2="6" stroke={colour} strokeWidth="2" strokeDasharray={dash} />
  </svg>
);

/** The legend entries of bars, whose values add up to their total. */
export const entriesOf = (series: readonly Series[], unit: Unit): LegendEntry[] =>
  series.map(({ name, service, values, total, colour }) => ({
    name,
    ...(service === '' ? {} : { note: service }),
    colour,
    figure: (pointed) => formatValue(pointed === null ? total : (values[pointed] ?? 0), unit),
  }));
