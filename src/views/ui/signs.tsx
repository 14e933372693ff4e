/** The few icons of the public pages, inline: the icon library's core would be larger than all of them. */
type Props = { size: number };

const Sign = ({ size, path }: Props & { path: string }) => (
  <svg
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
  >
    <path d={path} />
  </svg>
);

export const AlertSign = ({ size }: Props) => (
  <Sign size={size} path="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v5M12 16.5v.01" />
);
export const CopySign = ({ size }: Props) => (
  <Sign
    size={size}
    path="M10 8h9a1.5 1.5 0 0 1 1.5 1.5V19a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 8.5 19V9.5A1.5 1.5 0 0 1 10 8M5 16a1.5 1.5 0 0 1-1.5-1.5V5A1.5 1.5 0 0 1 5 3.5h9A1.5 1.5 0 0 1 15.5 5"
  />
);
export const CheckSign = ({ size }: Props) => <Sign size={size} path="m5 12.5 4.5 4.5L19 7.5" />;
export const CrossSign = ({ size }: Props) => <Sign size={size} path="M6 6l12 12M18 6 6 18" />;
