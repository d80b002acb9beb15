import { type MessageChannel, OWN_CHANNELS, type TEMPLATE_VARIABLES } from '@thingwright/contracts/contacts.words'
import words from './message-words.json' with { type: 'json' }
import type { AlarmFacts, TemplateRow } from './queue.repo.ts'

export type Event = 'raised' | 'cleared'
export type Locale = 'zh' | 'en'
export type Variable = (typeof TEMPLATE_VARIABLES)[number]
export type Variables = Record<Variable, string>

export interface Template {
  subject: string
  body: string
  /** What the carrier calls it. */
  code: string
  approval: 'none' | 'pending' | 'approved' | 'rejected'
}

const VARIABLE = /\$\{([^}]*)\}/g

/** The built-in words of a channel. */
export function builtIn(channel: MessageChannel, event: Event, locale: Locale): Template {
  const all = words[locale].templates
  const key = (OWN_CHANNELS as readonly string[]).includes(channel) ? 'robot' : (channel as keyof typeof all)
  return { ...all[key][event], code: '', approval: 'none' }
}

/** The company's words, or the built-in ones. */
export function templateOf(
  rows: readonly TemplateRow[],
  channel: MessageChannel,
  event: Event,
  locale: Locale,
): Template {
  return (
    rows.find(row => row.channel === channel && row.event === event && row.locale === locale) ??
    builtIn(channel, event, locale)
  )
}

/** Names in `${…}` in the order in which they come, each once. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(found => found[1]!))]
}

/** Fills `${device}` and its like; what is not known stays empty. */
export function fill(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (_, name: string) => variables[name] ?? '')
}

/** What a message can say of an alarm. @param zone IANA name */
export function variablesOf(
  facts: AlarmFacts,
  locale: Locale,
  zone: string,
  links: { link: string; page: string },
): Variables {
  const { none, loop } = words[locale]
  const [first] = facts.values ?? []
  return {
    trigger: (facts.trigger ?? none) + (facts.isLoop ? (locale === 'zh' ? '' : ' ') + loop : ''),
    device: facts.device ?? none,
    deviceNo: facts.deviceNo ?? none,
    product: facts.product ?? none,
    user: facts.user ?? none,
    sensor: first?.property ?? none,
    value:
      (facts.values ?? []).map(({ property, value }) => `${property} = ${JSON.stringify(value)}`).join(', ') || none,
    unit: '',
    limit: limitOf(facts.rule) || none,
    time: facts.at ? timeText(facts.at, zone) : none,
    level: facts.level === null ? none : String(facts.level),
    position: none,
    ...links,
  }
}

function limitOf(rule: Record<string, unknown> | null): string {
  return ['low', 'high', 'value']
    .map(key => rule?.[key])
    .filter(value => typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
    .join(' – ')
}

/** `2026-01-02 03:04:05`, with its zone. */
export function timeText(at: Date, zone: string): string {
  return `${new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone }).format(at)}${
    zone === 'UTC' ? ' UTC' : ''
  }`
}
