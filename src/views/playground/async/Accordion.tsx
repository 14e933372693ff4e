import { AnimatePresence, useReducedMotion } from 'framer-motion';
import * as m from 'framer-motion/m';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { moving } from '../../../behaviours/moving.ts';

/** Spec §9. */
const TRANSITION_SECONDS = 0.15;
/** The height of a heading with its border, as in `styles.ts`; it grows with the text. */
const HEADING = '(2.75rem + 1px)';

type Section<Name extends string> = {
  name: Name;
  title: string;
  /** Shown next to the title while the section is closed. */
  summary?: string;
  content: ReactNode;
};
type Props<Name extends string> = { sections: readonly Section<Name>[]; open: Name; onOpen: (name: Name) => void };

/** Sections of which exactly one is open (ASY-04). In a scrolling panel, the headings stay visible (UXP-50). */
export function Accordion<Name extends string>({ sections, open, onOpen }: Props<Name>) {
  const isStill = useReducedMotion() ?? false;
  const transition = { duration: isStill ? 0 : TRANSITION_SECONDS };
  return (
    <>
      {sections.map(({ name, title, summary, content }, index) => {
        const isOpen = name === open;
        return (
          <div key={name} className="accordion">
            <h2
              style={{
                top: `calc(${index} * ${HEADING})`,
                bottom: `calc(${sections.length - 1 - index} * ${HEADING})`,
              }}
            >
              <button
                type="button"
                id={`panel-${name}`}
                aria-label={title}
                {...(!isOpen && summary ? { 'aria-describedby': `panel-${name}-summary` } : {})}
                aria-expanded={isOpen}
                aria-controls={`panel-${name}-content`}
                onClick={() => onOpen(name)}
              >
                <span>{title}</span>
                {!isOpen && summary ? (
                  <small id={`panel-${name}-summary`} title={summary}>
                    {summary}
                  </small>
                ) : null}
                <ChevronDown size={16} aria-hidden />
              </button>
            </h2>
            {/* Only the open section has a name and so is a landmark. */}
            <section id={`panel-${name}-content`} {...(isOpen ? { 'aria-labelledby': `panel-${name}` } : {})}>
              <AnimatePresence initial={false}>
                {isOpen && (
                  <m.div
                    key="content"
                    style={CLIPPED}
                    initial={moving.isThere ? CLOSED : false}
                    animate={OPEN}
                    exit={CLOSED}
                    transition={transition}
                  >
                    <div className="accordion-content">{content}</div>
                  </m.div>
                )}
              </AnimatePresence>
            </section>
          </div>
        );
      })}
    </>
  );
}

const CLIPPED = { overflow: 'hidden' };
const CLOSED = { height: 0, opacity: 0 };
const OPEN = { height: 'auto', opacity: 1 };
