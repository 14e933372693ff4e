import { createFileRoute } from '@tanstack/react-router';
import { ActivationPage } from '../../views/accounts/ActivationPage.tsx';

export const Route = createFileRoute('/signup/$token/')({ component: ActivationPage });
