type Props = {
  text: string;
  /** A name that a person gave something; the text may contain it. */
  name: string | undefined;
};

/** A sentence whose name keeps its own writing direction (CON-24). */
export function Named({ text, name }: Props) {
  const at = name ? text.indexOf(name) : -1;
  if (!name || at < 0) return <span>{text}</span>;
  return (
    <>
      <span>{text.slice(0, at)}</span>
      <bdi>{name}</bdi>
      <span>{text.slice(at + name.length)}</span>
    </>
  );
}
