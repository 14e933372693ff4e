import { Flex, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { splitsLines } from '#machines/playground/reader/display/machine.ts';
import type { RenderOption } from '#machines/shared/route.ts';
import { SwitchField } from '../ui/SwitchField.tsx';
import { useDisplay } from './state.ts';

const OPTIONS = [
  { option: 'everything', label: 'Everything' },
  { option: 'translation', label: 'Translation' },
  { option: 'original', label: 'Original' },
] as const satisfies readonly { option: RenderOption; label: string }[];

/** Chooses which side of a translated transcript is shown, and whether it is split into lines (TRN-03). */
export function DisplayBar({ hasTarget }: { hasTarget: boolean }) {
  const display = useDisplay();
  const selected = useSelector(display, ({ context }) => context.option);
  const isSplit = useSelector(display, ({ context }) => splitsLines(context, hasTarget));
  return (
    <Flex wrap="wrap" align="center" justify="space-between" gap="3" py="2">
      <Flex role="radiogroup" aria-label="Show" p="1" gap="1" bg="bg.muted" borderRadius="l2">
        {OPTIONS.map(({ option, label }) => (
          <chakra.label
            key={option}
            px="3"
            py="1"
            fontSize="sm"
            borderRadius="l1"
            cursor="pointer"
            color="fg.muted"
            css={{ '&:has(:checked)': { background: 'bg.panel', color: 'fg', boxShadow: 'sm' } }}
            _focusWithin={{ outlineWidth: '2px', outlineStyle: 'solid', outlineColor: 'brand.focusRing' }}
          >
            <chakra.input
              type="radio"
              srOnly
              name="render-option"
              checked={selected === option}
              onChange={() => display.send({ type: 'option.selected', option })}
            />
            <span>{label}</span>
          </chakra.label>
        ))}
      </Flex>
      <SwitchField
        id="split-lines"
        label="Split into lines"
        isOn={isSplit}
        onChange={(next) => display.send({ type: 'split.chosen', isSplit: next })}
      />
    </Flex>
  );
}
