import { Box, Heading, chakra } from '@chakra-ui/react';
import { AnimatePresence, LazyMotion, useReducedMotion } from 'framer-motion';
import * as m from 'framer-motion/m';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

const loadFeatures = () => import('../../../theme/motion.ts').then((features) => features.default);
/** Spec §9. */
const TRANSITION_SECONDS = 0.15;

type Section<Name extends string> = { name: Name; title: string; content: ReactNode };
type Props<Name extends string> = { sections: readonly Section<Name>[]; open: Name; onOpen: (name: Name) => void };

/** Sections of which exactly one is open (ASY-04). */
export function Accordion<Name extends string>({ sections, open, onOpen }: Props<Name>) {
  const isStill = useReducedMotion() ?? false;
  const transition = { duration: isStill ? 0 : TRANSITION_SECONDS };
  return (
    <LazyMotion strict features={loadFeatures}>
      {sections.map(({ name, title, content }) => {
        const isOpen = name === open;
        return (
          <Box key={name} borderBottomWidth="1px" _last={{ borderBottomWidth: '0' }}>
            <Heading as="h2" fontSize="sm">
              <chakra.button
                type="button"
                id={`panel-${name}`}
                aria-expanded={isOpen}
                aria-controls={`panel-${name}-content`}
                onClick={() => onOpen(name)}
                display="flex"
                width="full"
                alignItems="center"
                justifyContent="space-between"
                px="4"
                py="3"
                fontWeight="semibold"
                cursor="pointer"
                borderRadius="l2"
                focusRing="inside"
              >
                {title}
                <Box
                  aria-hidden
                  color="fg.muted"
                  transform={isOpen ? 'rotate(180deg)' : 'none'}
                  transition={isStill ? 'none' : `transform ${TRANSITION_SECONDS}s`}
                >
                  <ChevronDown size={16} />
                </Box>
              </chakra.button>
            </Heading>
            <Box as="section" id={`panel-${name}-content`} aria-labelledby={`panel-${name}`}>
              <AnimatePresence initial={false}>
                {isOpen && (
                  <m.div
                    key="content"
                    style={CLIPPED}
                    initial={CLOSED}
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
    </LazyMotion>
  );
}

const CLIPPED = { overflow: 'hidden' };
const CLOSED = { height: 0, opacity: 0 };
const OPEN = { height: 'auto', opacity: 1 };
