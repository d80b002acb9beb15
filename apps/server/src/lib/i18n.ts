import type { ErrorCode } from '@thingwright/contracts/errors'
import en from '@thingwright/contracts/locales/en.json' with { type: 'json' }
import zh from '@thingwright/contracts/locales/zh.json' with { type: 'json' }
import { allWords } from '@thingwright/contracts/module-words'
import type { Locale } from './context.ts'
import errorWords from './error-words.json' with { type: 'json' }

/** Texts by code, those of the modules among them. */
export const ERROR_TEXTS: Record<Locale, Readonly<Record<string, string>>> = {
  zh: { ...zh, ...allWords('zh').error },
  en: { ...en, ...allWords('en').error },
}

/** Words for what a placeholder of an error holds as a code: states, reasons. By code of the error. */
const WORDS: Record<Locale, Readonly<Record<string, Readonly<Record<string, string>>>>> = errorWords

/**
 * Text of an error code in the caller's language, placeholders filled, codes in them (also several, parted by ` | `) as
 * words where there are some; an unknown placeholder stays empty.
 */
export function errorText(locale: Locale, code: ErrorCode | string, params: Record<string, unknown> = {}): string {
  const text = ERROR_TEXTS[locale][code] ?? code
  const words = WORDS[locale][code]
  const said = (value: unknown) =>
    words
      ? String(value)
          .split(' | ')
          .map(part => words[part] ?? part)
          .join(' / ')
      : String(value)
  return text.replace(/\{(\w+)\}/g, (_, key: string) => (params[key] === undefined ? '' : said(params[key])))
}

/** Reads Accept-Language: the first language we speak, by weight; Chinese otherwise. */
export function localeOf(header: string | string[] | undefined): Locale {
  const text = Array.isArray(header) ? header[0] : header
  if (!text) return 'zh'
  let best: Locale = 'zh'
  let bestWeight = 0
  for (const part of text.slice(0, 200).split(',')) {
    const [tag = '', ...options] = part.trim().toLowerCase().split(';')
    const q = options.map(o => /^\s*q=([\d.]+)$/.exec(o)?.[1]).find(Boolean)
    const weight = q === undefined ? 1 : Number(q)
    const language: Locale | null = tag.startsWith('zh') ? 'zh' : tag.startsWith('en') ? 'en' : null
    if (language && weight > bestWeight) {
      best = language
      bestWeight = weight
    }
  }
  return best
}
