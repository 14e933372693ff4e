/** `&&` outranks the hover styles of variants. A busy button keeps its colour. */
const DISABLED = '&&:is(:disabled, [aria-disabled=true]):not([aria-busy=true])';

/**
 * Changes to Chakra's button: a visible outline (UXP-02), and grey on grey when disabled (CON-11). Chakra's
 * half-transparent brand colour still looks enabled, above all on a dark background.
 */
export const disabledButton = {
  base: { [DISABLED]: { color: 'fg.subtle', borderColor: 'transparent', cursor: 'disabled', opacity: 1 } },
  variants: {
    variant: {
      solid: { [DISABLED]: { bg: 'bg.emphasized' } },
      outline: { borderColor: 'border.control', [DISABLED]: { bg: 'transparent', borderColor: 'border' } },
      ghost: { [DISABLED]: { bg: 'transparent' } },
    },
  },
};
