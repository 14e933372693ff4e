import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  apiReference: string;
  /** A button to start with. */
  action?: ReactNode;
  children: ReactNode;
};

/** Says what an API is for, while there are no results. */
export function IntroCard({ title, apiReference, action, children }: Props) {
  return (
    <section className="intro" aria-label={title}>
      <h2>{title}</h2>
      <p>{children}</p>
      <a href={apiReference} target="_blank" rel="noreferrer">
        API reference <ArrowUpRight size={14} aria-hidden />
      </a>
      {action}
    </section>
  );
}
