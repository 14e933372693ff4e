import { ExternalLink } from './ExternalLink.tsx';
import { useSettings } from './state.ts';

/** A link to the entry of an error type in the API reference. */
export function ErrorLink({ type }: { type: string }) {
  const { apiReference } = useSettings().links;
  return (
    <ExternalLink
      href={`${apiReference}#${type.replaceAll('_', '-')}`}
      textDecoration="underline"
      textUnderlineOffset="3px"
    >
      {`What ${type} means`}
    </ExternalLink>
  );
}
