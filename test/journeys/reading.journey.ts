import { expect, test } from './fixtures.ts';
import { clip } from './playground.ts';
import { outboxLink } from './server.ts';
import { arriveAnew } from './people.ts';

test('UXP-60: signing up reads from the heading to what can be done, and a mistake is read at its field', async ({
  page,
  server,
}) => {
  await page.goto('/signup/');
  const main = page.getByRole('main');
  await expect(main).toMatchAriaSnapshot(`
    - heading "Create an account" [level=1]
    - text: /You'll get a link to set your password/
    - textbox "E-mail"
    - button "Sign up"
    - text: Already have an account?
    - link "Sign in"
  `);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(main).toMatchAriaSnapshot(`
    - textbox "E-mail" [invalid]
    - text: Please enter a email address.
    - button "Sign up"
  `);
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/Please enter a email address\./);
  await page.getByLabel('E-mail').fill('listener@example.com');
  await page.keyboard.press('Enter');
  await expect(main).toMatchAriaSnapshot(`
    - heading "Ask your administrator for the link" [level=1]
    - strong: listener@example.com
    - button "Get another link"
    - button "Use another address"
    - link "Back to sign in"
  `);
  await page.goto(outboxLink(server.url));
  await page.getByRole('article').filter({ hasText: 'listener@example.com' }).getByRole('link').first().click();
  await expect(main).toMatchAriaSnapshot(`
    - heading "Activate your account" [level=1]
    - strong: listener@example.com
    - textbox "Password"
    - text: At least 12 characters. A few unrelated words work well.
    - status "Strength of the password"
    - button "Activate account"
  `);
});

test.describe('in a project', () => {
  test.beforeEach(async ({ page, server }, { testId }) => {
    await arriveAnew(page, server.url, `${testId}@example.com`);
  });

  test('UXP-60 UXP-66: a file reads as where it is chosen, its settings, the way to transcribe, then what was said', async ({
    page,
  }) => {
    await page.goto('/playground/transcribe-async/');
    const main = page.getByRole('main');
    await expect(main).toMatchAriaSnapshot(`
      - heading "Speech-to-Text" [level=1]
      - tablist "API":
        - tab "REST API File" [selected]
        - tab "WebSocket API Live"
      - tabpanel "REST API File":
        - paragraph: Drop a recording here
        - button "Choose file"
        - region "No recording at hand? Try a sample"
        - complementary "Transcription":
          - heading "Transcription" [level=2]
          - region "Transcription settings":
            - heading "Settings" [level=2]:
              - button "Settings" [expanded]
            - region "Settings":
              - combobox "Model"
              - group "Language hints"
              - checkbox "Speaker diarization"
              - checkbox "Audio event detection" [disabled]
              - paragraph: This model does not detect audio events.
              - textbox "Context"
            - heading "History" [level=2]:
              - button "History"
          - paragraph: Choose a file first.
          - button "Transcribe file" [disabled]
          - button "View code"
        - region "Library"
    `);
    await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
    await page.getByRole('button', { name: 'Transcribe file' }).click();
    await expect(main).toMatchAriaSnapshot(
      `
      - group "File":
        - paragraph: short.wav
        - button "Remove"
        - group "Recording short.wav":
          - button "Back 5 seconds"
          - button "Play"
          - button "Forward 5 seconds"
          - slider "Position"
          - combobox "Speed"
      - complementary "Transcription":
        - region "Transcription settings":
          - region "History":
            - group "Transcriptions":
              - list "Transcriptions":
                - listitem:
                  - link /short.wav Completed/
                  - button "Delete short.wav"
      - group "Opened item":
        - group "Transcription":
          - region "Transcript":
            - heading "Transcript" [level=2]
            - button "Search"
            - group "Export":
              - button "Copy transcript": Copy
              - button "Download transcript": Download
            - text: Completed
            - paragraph: /00:0\\d · \\$0\\.000\\d+ · parlance-async-1/
            - tablist "Format":
              - tab "Transcript" [selected]
              - tab "JSON"
              - tab "SRT"
              - tab "WebVTT"
            - tabpanel "Transcript":
              - region "Transcript text":
                - paragraph: /My brother bought a new car/
          - status: Transcription completed.
    `,
      { timeout: 60_000 },
    );
  });

  test('UXP-60 ONB-07: a live session shows its sound, settings and state above its text; a sample is one click away', async ({
    page,
  }) => {
    await page.goto('/playground/transcribe-live/');
    const main = page.getByRole('main');
    await expect(main).toMatchAriaSnapshot(`
      - tablist "API":
        - tab "REST API File"
        - tab "WebSocket API Live" [selected]
      - tabpanel "WebSocket API Live":
        - complementary "Live session":
          - heading "Live session" [level=2]
          - region "Live session settings":
            - region "Audio input":
              - heading "Audio input" [level=2]
              - combobox "Microphone"
              - button "Test the microphone"
            - region "Transcription settings":
              - heading "Transcription settings" [level=2]
              - combobox "Model"
            - region "Translation settings"
            - region "History"
          - radiogroup "Audio input":
            - radio "Mic" [checked]
            - radio "File"
          - status: Stopped
          - timer "Elapsed time": 00:00
          - button "Run"
          - button "Finalize" [disabled]
          - button "Reset" [disabled]
          - paragraph: Finalize is available during a session.
    `);
    await page.getByRole('button', { name: 'Try a sample' }).click();
    await expect(main).toMatchAriaSnapshot(
      `
      - complementary "Live session":
        - region "Live session settings":
          - region "Transcription settings":
            - paragraph: Stop the session to change the settings.
            - combobox "Model" [disabled]
        - radiogroup "Audio input":
          - radio "Mic" [disabled]
          - radio "File" [checked] [disabled]
        - paragraph: meeting-notes.wav
        - progressbar "Playback"
        - status: Running
        - meter "Input level"
        - timer "Elapsed time"
        - button "Stop"
        - button "Finalize"
        - button "Reset" [disabled]
        - paragraph: Stop first to reset.
      - region "Transcript":
        - heading "Transcript" [level=2]
        - region "Live transcript":
          - paragraph: /morning/
    `,
      { timeout: 60_000 },
    );
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await expect(stop).toBeFocused();
    await stop.click();
    await expect(main).toMatchAriaSnapshot(
      `
      - status: Stopped
      - status "Session": /\\d+ words? · .*first word/
      - status "History":
        - button "Keep this session"
      - button "Run"
      - button "Reset"
    `,
      { timeout: 60_000 },
    );
  });

  test('UXP-60: a new key reads with its only warning before it, and the first call after it', async ({ page }) => {
    await page.goto('/playground/transcribe-async/');
    await page.getByRole('link', { name: 'API keys' }).click();
    await expect(page.getByRole('main')).toMatchAriaSnapshot(`
      - heading "API keys" [level=1]
      - link "API reference"
      - button "Create API key"
      - paragraph: No API keys yet
    `);
    await page.getByRole('button', { name: 'Create API key' }).click();
    await expect(page.getByRole('dialog', { name: 'Create API key' })).toMatchAriaSnapshot(`
      - dialog "Create API key":
        - heading "Create API key" [level=2]
        - textbox "Name"
        - combobox "Expires"
        - button "Cancel"
        - button "Create"
        - button "Close"
    `);
    await page.getByRole('textbox', { name: 'Name' }).fill('Build server');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Your new API key' })).toMatchAriaSnapshot(`
      - dialog "Your new API key":
        - heading "Your new API key" [level=2]
        - paragraph: /Copy “Build server” now/
        - button "Show"
        - button "Copy"
        - heading "Try it in a terminal" [level=3]
        - paragraph: Transcribes a sample recording and prints its text. Needs curl and jq.
        - region "First call": /curl/
        - button "Copy command"
        - status "First request":
          - paragraph: Waiting for your first request…
        - button "Done"
        - button "Close"
    `);
  });
});
