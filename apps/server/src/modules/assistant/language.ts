import type { Locale } from '../../lib/context.ts'

/** Words that hold an English sentence together: two of them make one, whatever the things in it are called. */
const ENGLISH = new Set(
  'a an and any are as at by can change connect create delete disable do does enable for from give has have how i in invite is it last list many me move much my name of on or past please rename set show tell that the then this to turn was what when where which who why with you'.split(
    ' ',
  ),
)

/**
 * The language that a question is asked in: English where it is an English sentence about things with Chinese names,
 * else Chinese with any Chinese character, else English with Latin letters, else the console's.
 */
export function languageOf(question: string, console: Locale): Locale {
  const words = question.toLowerCase().match(/[a-z]+/g) ?? []
  if (!/\p{Script=Han}/u.test(question)) return words.length > 0 ? 'en' : console
  return words.filter(word => ENGLISH.has(word)).length >= 2 ? 'en' : 'zh'
}
