import { accountContract } from '@thingwright/contracts/company.contract'
import { type TProperties, Type } from 'typebox'
import words from './thing-kit.json' with { type: 'json' }
import { quoted, type ToolContext, ToolProblem, type ToolWords } from './tools.ts'

/** What the tools of devices, products and their data say alike: words of states, moments, pages of the console. */

const { texts, spoken } = words

/** The words of one tool with those under them that many tools share (`lib/tools/thing-kit.json`); its own win. */
export function withCommonTexts(own: ToolWords): ToolWords {
  return { ...own, texts: { ...texts, ...own.texts } }
}

/** A text with its `{placeholders}` filled; one without a value stays empty. */
export function fill(text: string, values: Record<string, unknown> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, key: string) => (values[key] === undefined ? '' : String(values[key])))
}

/** `2026-11-22 09:31:05` in the company's time zone. @param at epoch ms or ISO 8601 */
export function momentText(t: Pick<ToolContext, 'timeZone'>, at: number | string): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone: t.timeZone })
}

/** `3 小时前` / `3 h ago`, in the largest unit that fits; the word for never when null. */
export function agoText(t: ToolContext, at: number | string | null): string {
  if (at === null) return t.say('never')
  const span = t.now - new Date(at).getTime()
  return span < 5_000 ? t.say('justNow') : t.say('ago', { span: spanText(t, span) })
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** `3 小时` / `3 h`. @param span ms */
export function spanText(t: ToolContext, span: number): string {
  const [unit, ms] = UNITS.find(([, each]) => span >= each) ?? UNITS[3]
  return t.say(`span_${unit}`, { n: Math.floor(span / ms) })
}

const at = (path: string, query: Record<string, string | undefined>) => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Addresses in the console. */
export const pages = {
  device: (id: string, tab?: string) => at('/manage/device/DeviceSet/DeviceCenter', { id, tab }),
  deviceLink: (id: string) => at('/manage/device/DeviceSet/DeviceSetLink', { id }),
  devices: (query: Record<string, string | undefined> = {}) => at('/manage/device', query),
  product: (id: string) => at('/manage/product/ProductSet/ProductSetInfo', { id }),
  productLink: (id: string) => at('/manage/product/ProductSet/ProductSetLink', { id }),
  products: (query: Record<string, string | undefined> = {}) => at('/manage/product', query),
}

const QUOTES = new RegExp(`^[${spoken.quotes}]+|[${spoken.quotes}]+$`, 'gu')
const NOUN_BEFORE = new RegExp(`^(${spoken.before})+`, 'iu')
const NOUN_BEHIND = new RegExp(`(${spoken.behind})+$`, 'iu')

/** What a person may have meant by a name, the literal text first: without quotation marks, nouns and particles. */
export function spokenForms(text: string): string[] {
  const bare = text.trim()
  const unquoted = bare.replace(QUOTES, '').trim()
  const short = unquoted.replace(NOUN_BEFORE, '').replace(NOUN_BEHIND, '').trim()
  const forms = [bare, unquoted, short, short.replaceAll(spoken.particle, '')]
  return [...new Set(forms)].filter(form => form !== '' && form.length <= 128)
}

/** A name or another text as it will be stored: trimmed. @throws ToolProblem when it is empty or longer than `max` */
export function checkedText(t: ToolContext, field: string, given: string | undefined, max = 64): string {
  const text = (given ?? '').trim().replace(QUOTES, '').trim()
  if (text === '') throw new ToolProblem(t.say('textEmpty', { field }))
  if (text.length > max) throw new ToolProblem(t.say('tooLong', { field, max, count: text.length }))
  return text
}

/** A name of data in bold, safe in markdown. */
export function strong(name: string): string {
  return `**${quoted(name).trim()}**`
}

/** A link to a page of the console in markdown. */
export function linkTo(title: string, to: string): string {
  return `[${quoted(title).trim()}](${to.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** Names one after the other as the language separates them, those beyond `max` as a number. */
export function enumerated(t: Pick<ToolContext, 'locale' | 'say'>, names: readonly string[], max = 12): string {
  const shown = names.slice(0, max).join(t.locale === 'zh' ? spoken.separator : ', ')
  return names.length > max ? `${shown}${t.say('andMore', { n: names.length - max })}` : shown
}

/** Input of a tool that is said in words; nobody has to say it unless `required` names it. */
export const said = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }))

/** The closed object that a tool's input is. */
export function toolInput<const P extends TProperties>(fields: P) {
  return Type.Object(fields, { additionalProperties: false })
}

const BETWEEN = new RegExp(spoken.between, 'iu')
const MARK = /^(and|or|vs\.?|versus)$/i

/** Several names in one text: `A, B 和 C`. */
export function splitNames(text: string): string[] {
  const parts = text.split(BETWEEN).map(part => (part ?? '').trim())
  return parts.filter(part => part !== '' && !MARK.test(part))
}

/** Why a device went offline, in words; a reason without words as it is. */
export function reasonText(t: ToolContext, reason: string): string {
  const key = `reason_${reason}`
  return key in texts ? t.say(key) : quoted(reason)
}

/**
 * Refuses what the company has no room for, before anybody is asked to allow it. Those who may not see the usage are
 * told by the call itself.
 * @throws ToolProblem naming what is used
 */
export async function refuseFullQuota(t: ToolContext, kind: 'devices' | 'products'): Promise<void> {
  const usage = await t.call(accountContract.usage, {}).catch(() => null)
  const full = usage?.items.find(item => item.kind === kind && item.limit !== null && item.used >= item.limit)
  if (full)
    throw new ToolProblem(t.say('quotaFull', { kind: t.say(`quota_${kind}`), used: full.used, limit: full.limit }), {
      title: t.say('usage'),
      to: '/admin/account',
    })
}
