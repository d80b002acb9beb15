import { allWords } from '@thingwright/contracts/module-words'
import type { Locale } from '../../lib/context.ts'
import sentences from './action-words.json' with { type: 'json' }

const words = { zh: allWords('zh'), en: allWords('en') }

/** Kind of an object of the operation log, in words; an unknown one stands for itself. */
export const objectWord = (locale: Locale, type: string): string => words[locale].noun[type] ?? type

/**
 * `device.rotate_secret` as people say it: the object, then what was done.
 * @param result what came of it: what was refused or failed is never told as if it had been done
 */
export function actionWord(locale: Locale, action: string, result: 'ok' | 'refused' | 'failed' = 'ok'): string {
  const [noun = '', verb = ''] = action.split('.')
  const own = words[locale]
  const { did, notDone } = sentences[locale]
  const done =
    own.whole[`${noun}_${verb}`] ??
    did.replace('{{noun}}', objectWord(locale, noun)).replace('{{verb}}', own.verb[verb] ?? verb)
  if (result === 'ok') return done
  return own.tried[`${noun}_${verb}`] ?? notDone.replace('{{what}}', done)
}

/** The kind of object that a word names, "devices" and "the device" too; null: it is no such word. */
export function objectTypeOf(said: string): string | null {
  const bare = said
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/^(the|a|an|any|this) /, '')
  for (const locale of ['zh', 'en'] as const)
    for (const [type, word] of Object.entries(words[locale].noun)) {
      const name = word.toLowerCase()
      if (bare === name || bare === `${name}s` || bare === type) return type === 'member' ? 'login' : type
    }
  return null
}

/** What is named after a kind: "设备 A1", "the device A1" → A1. */
export function nameAfterKind(said: string): string {
  const text = said.trim()
  for (const locale of ['zh', 'en'] as const)
    for (const word of Object.values(words[locale].noun)) {
      const rest = new RegExp(
        `^(?:the )?${word.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')}[ \u201c"'\u300c]*(.+?)[\u201d"'\u300d]*$`,
        'iu',
      ).exec(text)
      if (rest?.[1] && (locale === 'zh' || text.includes(' '))) return rest[1].trim()
    }
  return text
}
