import { createFileRoute } from '@tanstack/react-router';
import { SignUpPage } from '../../views/accounts/SignUpPage.tsx';

export const Route = createFileRoute('/signup/resend-activation-email/')({ component: SignUpPage });
