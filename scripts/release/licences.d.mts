interface Package {
  name: string;
  /** Whether it has files of its own, which can be replaced. */
  isReplaceable: boolean;
  folder?: string;
}
/** The notices of packages. @throws Error that names packages without a text, or with a licence we cannot keep to */
export function noticesOf(packages: readonly Package[]): string;
