/** The parts of framer-motion that the console uses, fetched after the page is shown. */
export { domAnimation as default } from 'framer-motion';
