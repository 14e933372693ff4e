import { Box, Heading, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { PasswordValues } from '#machines/workspace/settings/user/actors.ts';
import type { UserSettingsActor } from '#machines/workspace/settings/user/machine.ts';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { NewPasswordField } from '../ui/NewPasswordField.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useEmail } from '../ui/state.ts';

/** Changes the name that others see. */
export function ProfileForm({ settings }: { settings: UserSettingsActor }) {
  const form = useSelector(settings, (snapshot) => snapshot.children.profileForm);
  return form ? <Profile form={form} /> : null;
}

function Profile({ form }: { form: FormActor<{ name: string }> }) {
  return (
    <Box maxW="360px">
      <Form actor={form}>
        <FormField
          actor={form}
          field="name"
          id="user-name"
          label="Your name"
          autoComplete="name"
          hint="People in your organizations see it next to your e-mail."
        />
        <Box>
          <SubmitButton size="sm" variant="outline" busy={useSubmitting(form)} busyLabel="Saving…">
            Save name
          </SubmitButton>
        </Box>
      </Form>
    </Box>
  );
}

/** Changes the password, or sets a first one for an account created by single sign-on. */
export function PasswordForm({ settings }: { settings: UserSettingsActor }) {
  const form = useSelector(settings, (snapshot) => snapshot.children.changePasswordForm);
  const hasPassword = useSelector(settings, ({ context }) => context.user.has_password);
  return (
    <Panel as="section" aria-labelledby="password">
      <Heading as="h2" id="password" mb="1" fontSize="lg" fontWeight="semibold">
        Password
      </Heading>
      <Text mb="5" fontSize="sm" color="fg.muted">
        Changing it signs you out on other devices.
      </Text>
      {form ? <Password form={form} hasPassword={hasPassword} /> : null}
    </Panel>
  );
}

function Password({ form, hasPassword }: { form: FormActor<PasswordValues>; hasPassword: boolean }) {
  const email = useEmail();
  return (
    <Box maxW="360px">
      <Form actor={form}>
        {/* Tells password managers whose password this is. */}
        <chakra.input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        {hasPassword ? (
          <FormField
            actor={form}
            field="current_password"
            id="current-password"
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
          />
        ) : null}
        <NewPasswordField actor={form} field="new_password" id="new-password" label="New password" />
        <FormField
          actor={form}
          field="confirm_password"
          id="confirm-password"
          label="New password again"
          type="password"
          autoComplete="new-password"
          required
        />
        <Box>
          <SubmitButton busy={useSubmitting(form)} busyLabel="Changing…">
            {hasPassword ? 'Change password' : 'Set password'}
          </SubmitButton>
        </Box>
      </Form>
    </Box>
  );
}
