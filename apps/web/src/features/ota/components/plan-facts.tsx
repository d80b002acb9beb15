import type {
  CampaignAutoStop,
  CampaignRate,
  CampaignRetries,
  CampaignScope,
  CampaignTimeouts,
  CampaignWindow,
} from '@thingwright/contracts/firmware-schemas'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'

/** What a campaign and the request for one have in common. */
export interface Plan {
  scope: CampaignScope
  method: 'static' | 'dynamic'
  delivery: 'push' | 'pull'
  confirm: boolean
  rate: CampaignRate
  window: CampaignWindow | null
  preconditions: readonly Record<string, unknown>[]
  timeouts: CampaignTimeouts
  retries: CampaignRetries
  autoStop: CampaignAutoStop | null
  supersede: boolean
  allowDowngrade: boolean
  startAt: string | null
  endAt: string | null
}

export interface PlanFact {
  label: string
  value: ReactNode
  wide?: boolean
}

type T = TFunction<'ota'>
const seconds = (value: number) => formatDuration(value * 1000)

/** Which devices, in words; groups by number, since their names are elsewhere. */
export function scopeText(t: T, scope: CampaignScope): string {
  const parts = [
    t(`scopeText.${scope.kind}`, {
      percent: scope.percent ?? 0,
      count: scope.kind === 'chosen' ? (scope.deviceIds?.length ?? 0) : (scope.groupIds?.length ?? 0),
      region: scope.region ?? '',
    }),
    ...(scope.kind === 'gray' && scope.groupIds ? [t('scopeText.group', { count: scope.groupIds.length })] : []),
    ...(scope.tag ? [t('scopeText.tag', { tag: scope.tag })] : []),
    ...(scope.fromVersions?.length ? [t('scopeText.versions', { versions: scope.fromVersions.join(', ') })] : []),
  ]
  return parts.join(t('comma'))
}

export function rateText(t: T, rate: CampaignRate): string {
  const active =
    rate.maxActive === undefined
      ? ''
      : t('rateText.active', { count: rate.maxActive, text: formatNumber(rate.maxActive) })
  if (rate.kind === 'constant') return t('rateText.constant', { text: formatNumber(rate.perMinute) }) + active
  return (
    t('rateText.exponential', {
      text: formatNumber(rate.perMinute),
      factor: formatNumber(rate.factor ?? 2),
      every: formatNumber(rate.everySucceeded ?? 10),
      max: formatNumber(rate.maxPerMinute ?? 60_000),
    }) + active
  )
}

export function windowText(t: T, window: CampaignWindow | null): string {
  if (window === null) return t('windowText.none')
  const days = window.days?.map(day => t(`day.${day}`)).join(' ') ?? t('windowText.everyDay')
  return `${days} ${window.from}–${window.until} · ${window.timeZone ?? t('windowText.device')}`
}

/** How a campaign goes about it, in parts: devices, way, safety. */
export function planFacts(t: T, plan: Plan): { devices: PlanFact[]; way: PlanFact[]; safety: PlanFact[] } {
  const yes = (value: boolean) => t(value ? 'yes' : 'no')
  return {
    devices: [
      { label: t('scope'), value: scopeText(t, plan.scope), wide: true },
      { label: t('supersede'), value: yes(plan.supersede) },
      { label: t('downgrade'), value: yes(plan.allowDowngrade) },
    ],
    way: [
      { label: t('method.title'), value: t(`method.${plan.method}`) },
      { label: t('delivery.title'), value: t(`delivery.${plan.delivery}`) },
      { label: t('confirmEach'), value: yes(plan.confirm) },
      { label: t('start'), value: plan.startAt === null ? t('starts.now') : formatDateTime(plan.startAt) },
      { label: t('endAt'), value: plan.endAt === null ? '–' : formatDateTime(plan.endAt) },
      ...(plan.delivery === 'pull' ? [] : [{ label: t('rate'), value: rateText(t, plan.rate), wide: true }]),
      { label: t('window'), value: windowText(t, plan.window), wide: true },
    ],
    safety: [
      {
        label: t('preconditions'),
        wide: true,
        value:
          plan.preconditions.length === 0
            ? t('none')
            : plan.preconditions.map((each, at) => (
                <code key={at} style={{ marginRight: 12 }}>
                  {String(each.identifier)} {t(`operators.${each.operator as 'gt'}`)} {String(each.value)}
                </code>
              )),
      },
      { label: t('respond'), value: seconds(plan.timeouts.respondSeconds) },
      { label: t('download'), value: seconds(plan.timeouts.downloadSeconds) },
      { label: t('install'), value: seconds(plan.timeouts.installSeconds) },
      {
        label: t('retries'),
        value:
          plan.retries.max === 0
            ? t('none')
            : t('retriesText', { count: plan.retries.max, text: seconds(plan.retries.backoffSeconds) }),
      },
      {
        label: t('autoStop'),
        value:
          plan.autoStop === null
            ? t('none')
            : t('autoStopText', {
                percent: formatNumber(plan.autoStop.failurePercent),
                count: plan.autoStop.afterDevices,
              }),
        wide: true,
      },
    ],
  }
}
