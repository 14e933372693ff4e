/** The parts of framer-motion that the console animates with, fetched after the page is there. */
export { domAnimation as default } from 'framer-motion';
