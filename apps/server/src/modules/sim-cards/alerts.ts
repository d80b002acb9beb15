import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Inbox } from '../notifications/index.ts'
import { tellOfObject } from '../triggers/index.ts'
import type { AccountRow } from './accounts.repo.ts'
import * as repo from './cards.repo.ts'
import { carrierDay, type Learned } from './learn.ts'
import * as operations from './operations.repo.ts'
import words from './sim-card-words.json' with { type: 'json' }

const DAY_MS = 86_400_000
const EXPIRY_DAYS = [30, 7, 1]
const DATA_DAYS = [7, 1]
const SILENT_DAYS = 7

type AlertKind = keyof typeof words.zh.alerts

interface Alert {
  kind: AlertKind
  /** Told once under this name. */
  key: string
  params: Record<string, string | number>
}

/** The new alerts of a card after it was read; alerts that were sent before are left out. */
export function alertsOf({ card, sudden, imeiWas }: Learned, account: AccountRow, now: number): Alert[] {
  const { month, day } = carrierDay(now)
  const found: Alert[] = []
  if (card.planKb && card.planKb > 0 && card.monthKb !== null) {
    const percent = (card.monthKb / card.planKb) * 100
    const reached = account.alerts.percents.filter(line => percent >= line).sort((a, b) => b - a)[0]
    if (reached !== undefined)
      found.push({ kind: 'usage', key: `usage-${month}-${reached}`, params: { percent: Math.floor(percent) } })
  }
  if (sudden) found.push({ kind: 'sudden', key: `sudden-${day}`, params: {} })
  if (imeiWas !== null && card.imei !== null)
    found.push({ kind: 'imei', key: `imei-${card.imei}`, params: { from: imeiWas, to: card.imei } })
  const { offlineDays } = account.alerts
  if (offlineDays !== null && card.state === 'active' && card.offlineSince) {
    const days = Math.floor((now - card.offlineSince.getTime()) / DAY_MS)
    if (days >= offlineDays)
      found.push({ kind: 'offline', key: `offline-${card.offlineSince.getTime()}`, params: { days } })
  }
  if (card.expiresAt) {
    const days = Math.ceil((card.expiresAt.getTime() - now) / DAY_MS)
    const line = EXPIRY_DAYS.filter(n => days <= n && days > 0).at(-1)
    if (line !== undefined)
      found.push({ kind: 'expiring', key: `expiring-${card.expiresAt.getTime()}-${line}`, params: { days } })
  }
  // Where both end together one notice is enough.
  if (card.dataUntil && card.dataUntil.getTime() !== card.expiresAt?.getTime()) {
    const days = Math.ceil((card.dataUntil.getTime() - now) / DAY_MS)
    const line = DATA_DAYS.filter(n => days <= n && days > 0).at(-1)
    if (line !== undefined)
      found.push({ kind: 'data_ending', key: `data-${card.dataUntil.getTime()}-${line}`, params: { days } })
  }
  if (card.state === 'pending' && card.activateBy) {
    const days = Math.ceil((card.activateBy.getTime() - now) / DAY_MS)
    if (days <= SILENT_DAYS && days > 0)
      found.push({ kind: 'silent_ending', key: `silent-${card.activateBy.getTime()}`, params: { days } })
  }
  return found.filter(alert => !card.told.includes(alert.key))
}

/** What is so of a card, as triggers ask for it. */
export function cardFacts(card: repo.CardFacts, now: number): Record<string, unknown> {
  const days = (ms: number) => ms / DAY_MS
  const percent = card.planKb && card.monthKb !== null ? Math.floor((card.monthKb / card.planKb) * 100) : null
  return {
    iccid: card.iccid,
    state: card.state,
    ...(percent === null ? {} : { percent }),
    offlineDays: card.state === 'active' && card.offlineSince ? Math.floor(days(now - card.offlineSince.getTime())) : 0,
    ...(card.expiresAt ? { daysLeft: Math.ceil(days(card.expiresAt.getTime() - now)) } : {}),
  }
}

/** Passes the values of a card to the triggers, and the event that it is in another machine. */
async function tellTriggers(scope: SystemScope, { card, imeiWas }: Learned, now: number): Promise<void> {
  const about = { tenantId: card.tenantId, kind: 'sim' as const, id: card.id, name: card.iccid }
  await tellOfObject(scope, { ...about, moment: null, values: cardFacts(card, now) })
  if (imeiWas !== null && card.imei !== null)
    await tellOfObject(scope, {
      ...about,
      moment: 'imei_changed',
      values: { iccid: card.iccid, from: imeiWas, to: card.imei },
    })
}

/** Tells those who see cards, writes it into the card's history, and stops a card that used more than its account allows. */
export async function tellAlerts(
  scope: SystemScope,
  deps: { inbox: Inbox; now(): number },
  learned: Learned,
  account: AccountRow,
): Promise<void> {
  const { card } = learned
  await tellTriggers(scope, learned, deps.now())
  const alerts = alertsOf(learned, account, deps.now())
  for (const alert of alerts) {
    const fill = (text: string) =>
      text.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
        key === 'iccid' ? card.iccid : key === 'device' ? (card.deviceName ?? '') : String(alert.params[key] ?? ''),
      )
    const text = { zh: fill(words.zh.alerts[alert.kind].text), en: fill(words.en.alerts[alert.kind].text) }
    await repo.addEvent(scope, card.tenantId, card.id, {
      id: newId(deps.now()),
      kind: 'alert',
      from: null,
      to: alert.kind,
      text: JSON.stringify(alert.params),
    })
    await deps.inbox.notify(scope, {
      tenantId: card.tenantId,
      to: { permission: 'sim-card:read' },
      kind: `sim_card.${alert.kind}`,
      title: { zh: words.zh.alerts[alert.kind].title, en: words.en.alerts[alert.kind].title },
      text,
      link: `/flowCard/${card.carrier === 'cmcc' ? 'Cmcc' : 'Ctcc'}FlowCard?card=${card.id}`,
      level: 'warning',
    })
  }
  if (alerts.length > 0)
    await repo.learn(scope, card.id, { told: [...card.told, ...alerts.map(({ key }) => key)].slice(-40) })
  const { stopAt } = account.alerts
  const over = stopAt !== null && card.planKb && card.monthKb !== null && card.monthKb >= (card.planKb * stopAt) / 100
  if (over && card.state === 'active') await operations.queueStop(scope, card, deps.now())
}
