import { later } from './late.ts';

/** Whether what moves things is there: until then nothing would open what begins closed. */
export const moving = { isThere: false };

/** Fetched after the first screen has been drawn. */
export const loadMotion = () =>
  later(async () => {
    const { default: features } = await import('../theme/motion.ts');
    moving.isThere = true;
    return features;
  });
