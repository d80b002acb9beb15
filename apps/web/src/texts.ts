import { registerTexts, type TextLoader } from './lib/i18n.ts'

/** Every locale file of the console; a namespace is downloaded when a page first needs it. */
export const TEXT_FILES = import.meta.glob('./**/locales/{zh,en}.json', { import: 'default' }) as Record<
  string,
  TextLoader
>

/** Namespaces of the shared building parts, needed by every console page. */
export const CONSOLE_TEXTS = ['ui', 'list-page', 'schema-form']

export function registerAllTexts(): void {
  registerTexts(TEXT_FILES)
}
