import { Box, Heading, Text, chakra } from '@chakra-ui/react';
import { AnimatePresence, useReducedMotion } from 'framer-motion';
import * as m from 'framer-motion/m';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { moving } from '../../../behaviours/moving.ts';

/** Spec §9. */
const TRANSITION_SECONDS = 0.15;
const HEADING_PX = 45;

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
          <Box key={name} display="contents">
            <Heading
              as="h2"
              fontSize="sm"
              bg="bg.panel"
              borderTopWidth={index === 0 ? '0' : '1px'}
              css={{
                '[data-scrolls] &': {
                  position: 'sticky',
                  zIndex: 1,
                  top: `${index * HEADING_PX}px`,
                  bottom: `${(sections.length - 1 - index) * HEADING_PX}px`,
                },
              }}
            >
              <chakra.button
                type="button"
                id={`panel-${name}`}
                aria-label={title}
                {...(!isOpen && summary ? { 'aria-describedby': `panel-${name}-summary` } : {})}
                aria-expanded={isOpen}
                aria-controls={`panel-${name}-content`}
                onClick={() => onOpen(name)}
                display="flex"
                width="full"
                alignItems="center"
                justifyContent="space-between"
                gap="3"
                px="4"
                height={`${HEADING_PX - 1}px`}
                fontWeight="semibold"
                cursor="pointer"
                borderRadius="l2"
                focusRing="inside"
              >
                <Text as="span" flexShrink="0">
                  {title}
                </Text>
                {!isOpen && summary ? (
                  <Text
                    as="span"
                    id={`panel-${name}-summary`}
                    flex="1"
                    minWidth="0"
                    truncate
                    textAlign="end"
                    fontSize="xs"
                    fontWeight="normal"
                    color="fg.muted"
                    title={summary}
                  >
                    {summary}
                  </Text>
                ) : null}
                <Box
                  aria-hidden
                  flexShrink="0"
                  color="fg.muted"
                  transform={isOpen ? 'rotate(180deg)' : 'none'}
                  transition={isStill ? 'none' : `transform ${TRANSITION_SECONDS}s`}
                >
                  <ChevronDown size={16} />
                </Box>
              </chakra.button>
            </Heading>
            {/* Only the open section has a name and so is a landmark. */}
            <Box as="section" id={`panel-${name}-content`} {...(isOpen ? { 'aria-labelledby': `panel-${name}` } : {})}>
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
                    <Box px="4" pt="1" pb="4">
                      {content}
                    </Box>
                  </m.div>
                )}
              </AnimatePresence>
            </Box>
          </Box>
        );
      })}
    </>
  );
}

const CLIPPED = { overflow: 'hidden' };
const CLOSED = { height: 0, opacity: 0 };
const OPEN = { height: 'auto', opacity: 1 };
