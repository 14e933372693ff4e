interface Package {
  name: string;
  /** Whether it is in files of its own, which can be replaced. */
  isReplaceable: boolean;
  folder?: string;
}
/** The notices of some packages, by name. @throws Error that names every package without a text, or with a licence that we could not keep */
export function noticesOf(packages: readonly Package[]): string;
