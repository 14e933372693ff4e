import { later } from './late.ts';

/** Whether the animation library has loaded: without it, content that starts closed would never open. */
export const moving = { isThere: false };

/** Fetches the animation library after the first screen. */
export const loadMotion = () =>
  later(async () => {
    const { default: features } = await import('../theme/motion.ts');
    moving.isThere = true;
    return features;
  });
