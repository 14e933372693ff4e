import { lateCode } from '../../behaviours/late.ts';

/** Fetches all screens of visitors except sign-in. */
export const fetchVisitorScreens = () => lateCode.fetch(() => import('./VisitorScreens.tsx'));
