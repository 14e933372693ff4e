import { describe, expect, it } from 'vitest';
import { readCsrfToken } from '#src/effects/http/csrf.ts';
import { liveAddress } from '#src/effects/audio/liveAddress.ts';
import { PageSettingsError, readPageSettings } from '#src/effects/browser/pageSettings.ts';
import { settings } from '../../machines/people.ts';

/** The one method that reading the settings uses, over an element with this text. */
const pageWith = (text: string | null) => ({
  getElementById: () => (text === null ? null : ({ textContent: text } as HTMLElement)),
});
const csrfPage = (field: string | null, cookie: string) =>
  ({ querySelector: () => (field === null ? null : { value: field }), cookie }) as unknown as Pick<
    Document,
    'querySelector' | 'cookie'
  >;

describe('what the page tells', () => {
  it('reads the settings of the page', () => {
    expect(readPageSettings(pageWith(JSON.stringify(settings)))).toEqual(settings);
  });

  it.each([
    ['missing', null],
    ['no JSON', '{'],
    ['unfit', JSON.stringify({ ...settings, links: {} })],
  ])('SHL-11: says what is wrong with settings that are %s', (_, text) => {
    expect(() => readPageSettings(pageWith(text))).toThrow(PageSettingsError);
  });

  it('SES-02: takes the CSRF token of the hidden element, else of the cookie', () => {
    expect(readCsrfToken(csrfPage('field', 'csrftoken=cookie'))).toBe('field');
    expect(readCsrfToken(csrfPage(null, 'a=1; csrftoken=cookie; b=2'))).toBe('cookie');
    expect(readCsrfToken(csrfPage('', 'xcsrftoken=no'))).toBeNull();
  });

  it.each([
    ['https://console.example.com/org/1/', '', 'wss://stt-rt.example.com/transcribe-websocket'],
    ['http://console.example.com:8080/', '', 'ws://stt-rt.example.com:8080/transcribe-websocket'],
    ['http://127.0.0.1:8080/', '', 'ws://127.0.0.1:8080/transcribe-websocket'],
    ['https://myconsole.example.com/', '', 'wss://myconsole.example.com/transcribe-websocket'],
    ['https://console/', '', 'wss://console/transcribe-websocket'],
    ['https://console.example.com/', 'wss://speech.example.net/live', 'wss://speech.example.net/live'],
  ])('LIV-16: the page %s with the setting "%s" streams to %s', (page, setting, address) => {
    expect(liveAddress(new URL(page), setting)).toBe(address);
  });
});
