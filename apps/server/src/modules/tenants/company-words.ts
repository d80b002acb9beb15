import type { QuotaKind } from '@thingwright/contracts/company-settings'
import { showBytes } from '../../lib/bytes.ts'
import type { Notice } from '../notifications/index.ts'
import type { Term } from './company-states.ts'
import words from './company-words.json' with { type: 'json' }
import { daysLeft, localDay } from './days-left.ts'

type Both = { zh: string; en: string }

/** The texts are in a file of their own, like all that people read. */
function say(key: keyof typeof words, params: Record<string, string | number> = {}): Both {
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
  return { zh: fill(words[key].zh), en: fill(words[key].en) }
}

/** What a company is told when time changes its state. */
export function stateNotice(tenantId: string, term: Term, timeZone: string): Notice {
  const ended = term.status === 'expired'
  const date = localDay(term.graceEndsAt ?? 0, timeZone)
  return {
    tenantId,
    to: { everyone: true },
    kind: 'company.state',
    title: say(ended ? 'expired.title' : 'grace.title'),
    text: say(ended ? 'expired.text' : 'grace.text', { date }),
    link: '/admin/account',
    level: ended ? 'error' : 'warning',
  }
}

/** What a company is told some days before an end. */
export function endNotice(tenantId: string, term: Term, endMs: number, now: number, timeZone: string): Notice {
  const grace = term.status === 'grace'
  const days = daysLeft(endMs, now, timeZone)
  const params = { days, date: localDay(endMs, timeZone) }
  const today = days === 0 ? 'Today' : ''
  return {
    tenantId,
    to: { permission: 'company:read' },
    kind: 'company.term',
    title: say(grace ? `graceEnds${today}.title` : `ends${today}.title`, params),
    text: say(grace ? 'graceEnds.text' : 'ends.text', params),
    link: '/admin/account',
    level: days <= 1 ? 'error' : 'warning',
  }
}

/** How a quota is called. */
export const quotaName = (kind: QuotaKind): Both => say(`quota.${kind}`)

/** What a company is told when a quota fills. */
export function quotaNotice(tenantId: string, kind: QuotaKind, used: number, limit: number, percent: 80 | 100): Notice {
  const name = say(`quota.${kind}`)
  const of = (text: Both): Both => ({
    zh: text.zh.replaceAll('{name}', name.zh),
    en: text.en.replaceAll('{name}', name.en),
  })
  const amount = (value: number) => (kind === 'mediaBytes' ? showBytes(value) : String(value))
  const params = { used: amount(used), limit: amount(limit), percent, name: '{name}' }
  return {
    tenantId,
    to: { permission: 'company:read' },
    kind: 'company.quota',
    title: of(say(percent === 100 ? 'quotaFull.title' : 'quotaWarning.title', params)),
    text: of(say(percent === 100 ? 'quotaFull.text' : 'quotaWarning.text', params)),
    link: '/admin/account?tab=usage',
    level: percent === 100 ? 'error' : 'warning',
  }
}

/** What a company is told of a decision about its licence. */
export function verificationNotice(tenantId: string, verified: boolean, reason: string): Notice {
  return {
    tenantId,
    to: { permission: 'company:read' },
    kind: 'company.verification',
    title: say(verified ? 'verified.title' : 'rejected.title'),
    text: say(verified ? 'verified.text' : 'rejected.text', { reason }),
    link: '/admin/account?tab=verification',
    level: verified ? 'info' : 'warning',
  }
}

/** What a company is told when an operator changes its account. */
export function operatorNotice(
  tenantId: string,
  what: 'activated' | 'extended' | 'frozen' | 'unfrozen' | 'quotas' | 'entered',
  params: Record<string, string> = {},
): Notice {
  return {
    tenantId,
    to: { permission: 'company:read' },
    kind: `company.${what}`,
    title: say(`${what}.title`, params),
    text: say(`${what}.text`, params),
    link: '/admin/account',
    level: what === 'frozen' ? 'error' : 'info',
  }
}
