type Props = {
  text: string;
  /** What a person called something; a part of the text, or not. */
  name: string | undefined;
};

/** A sentence with a name in it, which keeps its own direction of writing (CON-24). */
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
