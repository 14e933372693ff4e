import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/new/$fileUuid/')({});
