import type { Locale } from '../../lib/context.ts'

/** The language that a question is asked in: any Chinese character, else Latin letters, else the console's. */
export function languageOf(question: string, console: Locale): Locale {
  if (/\p{Script=Han}/u.test(question)) return 'zh'
  return /[A-Za-z]/.test(question) ? 'en' : console
}
