import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { type Locale, local } from './storage.ts'

export type LocaleTexts = Record<string, unknown>
/** Loads the texts of one namespace in one language. */
export type TextLoader = () => Promise<LocaleTexts>

export const DEFAULT_LOCALE: Locale = 'zh'

const loaders = new Map<string, TextLoader>()
const loading = new Map<string, Promise<void>>()
const wanted = new Set<string>()

/** The namespace of a locale file: the folder above `locales`; `app` is `shell` and `lib` is `common`. */
export function namespaceOf(file: string): { namespace: string; locale: Locale } | null {
  const found = /([^/]+)\/locales\/(zh|en)\.json$/.exec(file)
  if (!found) return null
  const folder = found[1]!
  return { namespace: folder === 'app' ? 'shell' : folder === 'lib' ? 'common' : folder, locale: found[2] as Locale }
}

/** Hands over the locale files of the application (`import.meta.glob`), keyed by path. */
export function registerTexts(files: Record<string, TextLoader>): void {
  for (const [file, load] of Object.entries(files)) {
    const at = namespaceOf(file)
    if (at) loaders.set(`${at.locale}/${at.namespace}`, load)
  }
}

/** The language now shown. */
export function locale(): Locale {
  return i18next.language === 'en' ? 'en' : 'zh'
}

async function loadOne(namespace: string, language: Locale): Promise<void> {
  const key = `${language}/${namespace}`
  const load = loaders.get(key)
  if (!load || i18next.hasResourceBundle(language, namespace)) return
  let pending = loading.get(key)
  if (!pending) {
    pending = load().then(texts => {
      i18next.addResourceBundle(language, namespace, texts)
    })
    loading.set(key, pending)
    // A failed download may be tried again.
    pending.catch(() => loading.delete(key))
  }
  await pending
}

/** Makes namespaces usable in the current language, and later in whatever language is chosen. */
export async function loadTexts(...namespaces: string[]): Promise<void> {
  for (const namespace of namespaces) wanted.add(namespace)
  await Promise.all(namespaces.map(namespace => loadOne(namespace, locale())))
}

const followers = new Set<(locale: Locale) => void>()

/** Runs at every change of language (date library, document title, component library). */
export function onLocale(follower: (locale: Locale) => void): () => void {
  followers.add(follower)
  return () => followers.delete(follower)
}

/** Shows another language and remembers the choice. Everything on the page is loaded before it switches. */
export async function changeLocale(next: Locale): Promise<void> {
  local.set('lang', next)
  if (next === locale()) return
  await Promise.all([...wanted].map(namespace => loadOne(namespace, next)))
  await i18next.changeLanguage(next)
  apply(next)
}

function apply(now: Locale): void {
  if (typeof document !== 'undefined') document.documentElement.lang = now === 'zh' ? 'zh-CN' : 'en'
  for (const follower of followers) follower(now)
}

/** Starts i18next in the stored language (Chinese by default). Texts come by `loadTexts`. */
export async function startI18n(initial: Locale = local.get('lang') === 'en' ? 'en' : DEFAULT_LOCALE): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: initial,
    fallbackLng: false,
    resources: {},
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    react: { useSuspense: false, bindI18nStore: 'added' },
    returnNull: false,
  })
  apply(initial)
}

/** Text outside components: `text('common:error.network')`. */
export function text(key: string, params?: Record<string, unknown>): string {
  return i18next.t(key, params ?? {})
}
