import { Flex, IconButton, NativeSelect, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react';
import { RATES, SKIP_MS } from '#machines/playground/player/machine.ts';
import { formatClock } from '../transcript/details.ts';
import { usePlayer } from '../state.ts';

/** The controls of the recording's player. */
export function Player({ filename }: { filename: string }) {
  const player = usePlayer();
  const isPlaying = useSelector(player, (snapshot) => snapshot.hasTag('playing'));
  return (
    <Flex role="group" aria-label={`Recording ${filename}`} align="center" gap="1" wrap="wrap">
      <IconButton
        size="sm"
        variant="ghost"
        aria-label="Back 5 seconds"
        title="Back 5 seconds (J)"
        onClick={() => player.send({ type: 'skip.requested', byMs: -SKIP_MS })}
      >
        <RotateCcw size={16} aria-hidden />
      </IconButton>
      <IconButton
        size="sm"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        title={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
        onClick={() => player.send({ type: 'toggle.requested' })}
      >
        {isPlaying ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
      </IconButton>
      <IconButton
        size="sm"
        variant="ghost"
        aria-label="Forward 5 seconds"
        title="Forward 5 seconds (L)"
        onClick={() => player.send({ type: 'skip.requested', byMs: SKIP_MS })}
      >
        <RotateCw size={16} aria-hidden />
      </IconButton>
      <Position />
      <Rate />
    </Flex>
  );
}

const STEP_MS = 100;

function Position() {
  const player = usePlayer();
  const positionMs = useSelector(player, ({ context }) => Math.round(context.positionMs / STEP_MS) * STEP_MS);
  const durationMs = useSelector(player, ({ context }) => context.durationMs);
  const length = durationMs === null ? '--:--' : formatClock(durationMs);
  return (
    <>
      <chakra.input
        type="range"
        aria-label="Position"
        aria-valuetext={`${formatClock(positionMs)} of ${length}`}
        min={0}
        max={durationMs ?? 0}
        step={STEP_MS}
        value={positionMs}
        // Not `disabled`: the slider would lose the focus if the duration becomes unknown.
        aria-disabled={durationMs === null}
        onChange={({ currentTarget }) => {
          if (durationMs !== null) player.send({ type: 'seek.requested', positionMs: Number(currentTarget.value) });
        }}
        flex="1"
        minWidth="80px"
        cursor="pointer"
        css={TRACK}
        style={{ ['--played' as string]: durationMs ? `${(positionMs / durationMs) * 100}%` : '0%' }}
      />
      <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums" whiteSpace="nowrap" px="1">
        {`${formatClock(positionMs)} / ${length}`}
      </Text>
    </>
  );
}

// The browser's own track is almost black on the dark theme's panel; it needs a contrast of 3:1.
const TRACK = {
  '@media (forced-colors: none)': {
    appearance: 'none',
    height: '6px',
    borderRadius: 'full',
    background:
      'linear-gradient(to right, var(--chakra-colors-brand-solid) var(--played), var(--chakra-colors-fg-subtle) var(--played))',
    '&::-webkit-slider-thumb': { appearance: 'none', boxSize: '14px', borderRadius: 'full', background: 'brand.solid' },
    '&::-moz-range-thumb': { boxSize: '14px', border: '0', borderRadius: 'full', background: 'brand.solid' },
    '&:focus-visible': { outline: '2px solid var(--chakra-colors-brand-focus-ring)', outlineOffset: '6px' },
  },
};

function Rate() {
  const player = usePlayer();
  const rate = useSelector(player, ({ context }) => context.rate);
  return (
    <NativeSelect.Root size="xs" width="auto">
      <NativeSelect.Field
        aria-label="Speed"
        title="Speed (< and >)"
        bg="bg"
        value={rate}
        onChange={({ currentTarget }) => player.send({ type: 'rate.selected', rate: Number(currentTarget.value) })}
      >
        {RATES.map((known) => (
          <option key={known} value={known}>
            {`${known} ×`}
          </option>
        ))}
      </NativeSelect.Field>
      <NativeSelect.Indicator aria-hidden />
    </NativeSelect.Root>
  );
}
