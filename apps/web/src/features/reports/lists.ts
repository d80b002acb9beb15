import type { ReportRunView, ReportView } from '@thingwright/contracts/reports.contract'
import type { ReportList } from '@thingwright/contracts/reports.words'
import type { TFunction } from 'i18next'

type Words = TFunction<'reports'>

export const STATE_KIND = {
  enabled: 'success',
  disabled: 'disabled',
  error: 'error',
} as const satisfies Record<ReportView['state'], string>

export const RUN_KIND = {
  pending: 'never',
  running: 'processing',
  done: 'success',
  partial: 'warning',
  failed: 'error',
  skipped: 'disabled',
} as const satisfies Record<ReportRunView['state'], string>

/** What a list is called; operations have a dot, keys of texts must not. */
export const listName = (list: ReportList, t: Words) => t(`lists.${list.replace('.', '_') as 'devices_export'}`)

/** `Devices`, `Telemetry · 3 devices`. */
export function sourceText(source: ReportView['source'], t: Words): string {
  switch (source.kind) {
    case 'list':
      return source.list ? listName(source.list, t) : t('sources.list')
    case 'telemetry':
      return `${t('sources.telemetry')} · ${t('devicesCount', { count: source.deviceIds?.length ?? 0 })}`
    default:
      return t(`sources.${source.kind}`)
  }
}

/** `Mon, Tue · 08:00`. */
export function scheduleText(schedule: ReportView['schedule'], t: Words): string {
  const { kind, days, times } = schedule as { kind: string; days?: (number | 'last')[]; times?: string[] }
  const at = times?.join(' / ') ?? ''
  if (kind === 'daily') return `${t('kinds.daily')} · ${at}`
  const named = (days ?? []).map(day =>
    kind === 'weekly' ? t(`day.${day as 1}`) : day === 'last' ? t('lastDay') : t('dayOfMonth', { day }),
  )
  return `${named.join(' / ')} · ${at}`
}
