import { registerTexts, type TextLoader } from './lib/i18n.ts'
import type { Locale } from './lib/storage.ts'

/** Every locale file of the console; a namespace is downloaded when a page first needs it. */
export const TEXT_FILES = import.meta.glob('./**/locales/{zh,en}.json', { import: 'default' }) as Record<
  string,
  TextLoader
>

/** Namespaces of the shared building parts, needed by every console page. */
export const CONSOLE_TEXTS = ['ui', 'list-page', 'schema-form']

/** Namespaces that also hold the words of the modules (packages/contracts/words), and which parts of them. */
const WITH_WORDS = {
  './features/audit/locales': ['noun', 'verb', 'whole', 'tried'],
  './ui/rights/locales': ['resource', 'action'],
} as const

function withWords(folder: keyof typeof WITH_WORDS, language: Locale): TextLoader {
  return async () => {
    const [own, { allWords }] = await Promise.all([
      TEXT_FILES[`${folder}/${language}.json`]!(),
      import('@thingwright/contracts/module-words'),
    ])
    const words = allWords(language)
    return { ...own, ...Object.fromEntries(WITH_WORDS[folder].map(part => [part, words[part]])) }
  }
}

export function registerAllTexts(): void {
  registerTexts(TEXT_FILES)
  for (const folder of Object.keys(WITH_WORDS) as (keyof typeof WITH_WORDS)[])
    for (const language of ['zh', 'en'] as const)
      registerTexts({ [`${folder}/${language}.json`]: withWords(folder, language) })
}
