/** Doubled, so that it goes before what a variant says of hovering. A button that is busy keeps its colour: it is at work. */
const DISABLED = '&&:is(:disabled, [aria-disabled=true]):not([aria-busy=true])';

/**
 * What Chakra's button lacks: an outline that can be seen (UXP-02), and one that cannot be pressed is grey on grey (CON-11). Half-transparent brand colour, as it
 * has by itself, still looks like something to press, above all on dark ground.
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
