/**
 * The tokens of the signed-out pages, with Chakra's values (checked by a test). Chakra exports all its tokens as one
 * object, with every colour and what only the console needs; theme/console.ts adds that.
 */
type Tokens = Record<string, { value: string }>;

/** Parses `name value, name value`. */
const tokensOf = (list: string): Tokens =>
  Object.fromEntries(
    list.split(', ').map((entry) => {
      const [name = '', ...value] = entry.split(' ');
      return [name, { value: value.join(' ') }];
    }),
  );

const SHADES = ['50', '100', '200', '300', '400', '500', '600', '700', '800', '900', '950'];
const shadesOf = (list: string): Tokens =>
  Object.fromEntries(list.split(' ').map((value, index) => [SHADES[index] ?? '', { value: `#${value}` }]));

const STEPS = [
  0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60,
  64, 72, 80, 96,
];
const spacing: Tokens = Object.fromEntries(STEPS.map((step) => [step, { value: `${step / 4}rem` }]));

export const publicTokens = {
  animations: tokensOf('spin spin 1s linear infinite'),
  borders: tokensOf('xs 0.5px solid, sm 1px solid, md 2px solid'),
  cursor: tokensOf('button pointer, disabled not-allowed'),
  durations: tokensOf(
    'fastest 50ms, faster 100ms, fast 150ms, moderate 200ms, slow 300ms, slower 400ms, slowest 500ms',
  ),
  fonts: { mono: { value: 'SFMono-Regular,Menlo,Monaco,Consolas,"Liberation Mono","Courier New",monospace' } },
  fontSizes: tokensOf(
    '2xs 0.625rem, xs 0.75rem, sm 0.875rem, md 1rem, lg 1.125rem, xl 1.25rem, 2xl 1.5rem, 3xl 1.875rem, 4xl 2.25rem',
  ),
  fontWeights: tokensOf('normal 400, medium 500, semibold 600, bold 700'),
  letterSpacings: tokensOf('tighter -0.05em, tight -0.025em, wide 0.025em'),
  lineHeights: tokensOf('shorter 1.25, short 1.375, moderate 1.5, tall 1.625, taller 2'),
  radii: tokensOf(
    'none 0, 2xs 0.0625rem, xs 0.125rem, sm 0.25rem, md 0.375rem, lg 0.5rem, xl 0.75rem, 2xl 1rem, full 9999px',
  ),
  spacing,
  sizes: { ...spacing, ...tokensOf('max max-content, min min-content, fit fit-content, full 100%, dvh 100dvh') },
  colors: {
    ...tokensOf('transparent transparent, current currentColor, black #09090B, white #FFFFFF'),
    gray: shadesOf('fafafa f4f4f5 e4e4e7 d4d4d8 a1a1aa 71717a 52525b 3f3f46 27272a 18181b 111111'),
    red: shadesOf('fef2f2 fee2e2 fecaca fca5a5 f87171 ef4444 dc2626 991919 511111 300c0c 1f0808'),
    green: shadesOf('f0fdf4 dcfce7 bbf7d0 86efac 4ade80 22c55e 16a34a 116932 124a28 042713 03190c'),
  },
};
