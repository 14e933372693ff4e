import { createFileRoute } from '@tanstack/react-router';
import * as v from 'valibot';
import { UserPage } from '../../../views/account/UserPage.tsx';

export const Route = createFileRoute('/_console/user/settings/')({ validateSearch: v.object({ poi: v.optional(v.string()) }), component: UserPage });
