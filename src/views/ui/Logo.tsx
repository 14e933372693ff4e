/** The product's logo and name, with the label 'Console'. */
export function Logo({ productName }: { productName: string }) {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="9" fill="#1d5fd6" />
        <path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      </svg>
      <span>{productName}</span>
      <small>Console</small>
    </span>
  );
}
