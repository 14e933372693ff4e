import { lateCode } from '../../behaviours/late.ts';

/** Fetches the screens of visitors besides sign-in. */
export const fetchVisitorScreens = () => lateCode.fetch(() => import('./VisitorScreens.tsx'));
