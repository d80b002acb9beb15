import type { Appearance } from './storage.ts'

/** The colours of both appearances; contrast AA. Components without antd read them as `--tw-{name}`. */
const LIGHT = {
  primary: '#1f5eff',
  'primary-hover': '#174fe0',
  'primary-soft': 'rgba(31, 94, 255, 0.08)',
  link: '#1f5eff',
  'link-hover': '#174fe0',
  bg: '#f5f6f8',
  surface: '#ffffff',
  raised: '#ffffff',
  head: '#fafbfc',
  line: '#ebedf0',
  'line-strong': '#d5d9e0',
  hover: 'rgba(0, 0, 0, 0.04)',
  text: '#1d2129',
  'text-2': 'rgba(0, 0, 0, 0.68)',
  'text-3': 'rgba(0, 0, 0, 0.60)',
  placeholder: 'rgba(0, 0, 0, 0.56)',
  success: '#00b578',
  warning: '#faad14',
  error: '#d9202a',
  'success-text': '#007a51',
  'warning-text': '#8a5a00',
  'warning-soft': '#fff7e0',
  'error-soft': '#fff1f0',
  online: '#00a870',
  offline: '#86909c',
  shadow: '0 16px 48px rgba(0, 0, 0, 0.18)',
  'map-sea': '#dfe9f3',
  'map-tiles': 'none',
  'map-land': '#eef0f2',
  'map-home': '#fbfbf9',
  'map-line': '#c3cad4',
}

const DARK: Record<TokenName, string> = {
  primary: '#2862ff',
  'primary-hover': '#1f54e6',
  'primary-soft': 'rgba(111, 155, 255, 0.14)',
  link: '#8fb0ff',
  'link-hover': '#b4caff',
  bg: '#0f1115',
  surface: '#16181d',
  raised: '#1e2127',
  head: '#1b1e24',
  line: '#26292f',
  'line-strong': '#3a3f48',
  hover: 'rgba(255, 255, 255, 0.05)',
  text: 'rgba(255, 255, 255, 0.90)',
  'text-2': 'rgba(255, 255, 255, 0.72)',
  'text-3': 'rgba(255, 255, 255, 0.62)',
  placeholder: 'rgba(255, 255, 255, 0.50)',
  success: '#1fc08a',
  warning: '#e8b339',
  error: '#ff6b6b',
  'success-text': '#3ed6a0',
  'warning-text': '#ecc55c',
  'warning-soft': '#2e2712',
  'error-soft': '#331a1c',
  online: '#1fc08a',
  offline: '#9aa3ae',
  shadow: '0 16px 48px rgba(0, 0, 0, 0.55)',
  'map-sea': '#101a26',
  'map-tiles': 'brightness(0.75)',
  'map-land': '#1d2127',
  'map-home': '#272c34',
  'map-line': '#434b57',
}

export type TokenName = keyof typeof LIGHT

export const TOKENS: Record<Appearance, Record<TokenName, string>> = { light: LIGHT, dark: DARK }

/** Alarm levels 1-5, the same in both appearances; each has its own shape beside its colour. */
export const ALARM_COLOURS = ['#86909c', '#1677ff', '#13a8a8', '#d48806', '#fa541c', '#cf1322'] as const

/** Writes the colours into the document, for everything that is drawn without the component library. */
export function applyTokens(mode: Appearance, root: HTMLElement = document.documentElement): void {
  for (const [name, value] of Object.entries(TOKENS[mode])) root.style.setProperty(`--tw-${name}`, value)
  root.style.colorScheme = mode
  root.dataset.appearance = mode
}

/** Colours of chart series, told apart by people with colour blindness; the dark ones are 12 % lighter. */
export const SERIES_COLOURS: Record<Appearance, readonly string[]> = {
  light: ['#1f5eff', '#e8684a', '#00a870', '#9254de', '#d48806', '#13a8a8', '#eb2f96', '#595959'],
  dark: ['#3a71ff', '#eb7a60', '#1fb280', '#9f68e2', '#d99626', '#2fb2b2', '#ed48a3', '#a6a6a6'],
}
