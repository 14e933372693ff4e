import { chakra } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

type Props = Pick<ComponentProps<'input'>, 'id' | 'checked' | 'children'> & {
  onToggle: (isChecked: boolean) => void;
  isInvalid?: boolean;
};

/** A native checkbox with a label, in the console's colours. */
export function CheckBox({ id, checked, children, onToggle, isInvalid = false }: Props) {
  return (
    <chakra.label display="inline-flex" alignItems="center" gap="2" minWidth="0" fontSize="sm" cursor="pointer">
      <chakra.input
        id={id}
        type="checkbox"
        checked={checked}
        aria-invalid={isInvalid || undefined}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
        {...box}
      />
      <chakra.span minWidth="0" overflowWrap="anywhere">
        {children}
      </chakra.span>
    </chakra.label>
  );
}

const box = {
  appearance: 'none',
  display: 'inline-grid',
  placeContent: 'center',
  flexShrink: '0',
  boxSize: '4.5',
  borderWidth: '1px',
  borderColor: 'border.control',
  // A larger radius would make it look like a radio button.
  borderRadius: 'sm',
  bg: 'bg',
  cursor: 'inherit',
  focusRing: 'outside',
  _disabled: { opacity: 0.5, cursor: 'disabled' },
  _invalid: { borderColor: 'border.error' },
  _checked: { bg: 'brand.solid', borderColor: 'brand.solid' },
  // The tick. With forced colours it needs a system colour.
  _before: {
    content: '""',
    boxSize: '3',
    bg: 'brand.contrast',
    clipPath: 'polygon(14% 47%, 6% 56%, 40% 88%, 96% 22%, 87% 14%, 39% 70%)',
    visibility: 'hidden',
    '@media (forced-colors: active)': { bg: 'CanvasText' },
  },
  '&:checked::before': { visibility: 'visible' },
} as const;
