import { REPORT_SCHEDULES } from '@thingwright/contracts/reports.words'
import { Input, Segmented, Select } from 'antd'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { Draft } from './draft.ts'
import { Complaint } from './problems.tsx'
import css from './reports.module.css'

type Kind = (typeof REPORT_SCHEDULES)[number]
const WEEK = [1, 2, 3, 4, 5, 6, 7] as const

/** When it is made and mailed. */
export function ScheduleFields({ draft, set }: { draft: Draft; set: (schedule: Draft['schedule']) => void }) {
  const { t } = useTranslation('reports')
  const { schedule } = draft
  const kind = schedule.kind as Kind
  const days = (schedule.days as (number | 'last')[] | undefined) ?? []
  const time = (schedule.times as string[] | undefined)?.[0] ?? ''
  const zone = schedule.zone === undefined ? {} : { zone: schedule.zone }
  const change = (next: Kind) =>
    set({
      kind: next,
      times: [time || '08:00'],
      ...zone,
      ...(next === 'weekly' ? { days: [1] } : next === 'monthly' ? { days: ['last'] } : {}),
    })
  const asked = useDeferredValue(schedule)
  const preview = useRead('reports.preview', { body: { schedule: asked } }, { keep: true, retry: false })
  const first = preview.data?.items[0]
  return (
    <>
      <div className={css.field}>
        <span>{t('schedule')}</span>
        <span className={css.line}>
          <Segmented
            aria-label={t('schedule')}
            value={kind}
            options={REPORT_SCHEDULES.map(value => ({ value, label: t(`kinds.${value}`) }))}
            onChange={next => change(next as Kind)}
          />
          <Input
            aria-label={t('time')}
            type="time"
            className={css.short ?? ''}
            value={time}
            onChange={event => set({ ...schedule, times: [event.target.value] })}
          />
        </span>
        {kind !== 'daily' && (
          <Select
            aria-label={t('days')}
            mode="multiple"
            value={days}
            options={
              kind === 'weekly'
                ? WEEK.map(value => ({ value, label: t(`day.${value}`) }))
                : [
                    { value: 'last', label: t('lastDay') },
                    ...Array.from({ length: 31 }, (_, at) => ({
                      value: at + 1,
                      label: t('dayOfMonth', { day: at + 1 }),
                    })),
                  ]
            }
            onChange={(next: (number | 'last')[]) => set({ ...schedule, days: next })}
          />
        )}
        <Complaint path="schedule" />
      </div>
      <div className={css.field}>
        <span>{t('zone')}</span>
        <Select
          aria-label={t('zone')}
          showSearch
          allowClear
          placeholder={t('zoneOfCompany')}
          value={schedule.zone ?? null}
          options={Intl.supportedValuesOf('timeZone').map(value => ({ value, label: value }))}
          onChange={(next: string | undefined) => {
            const { zone: _, ...rest } = schedule
            set(next === undefined ? (rest as Draft['schedule']) : { ...rest, kind, zone: next })
          }}
        />
        {first && !preview.error && <small>{t('nextIs', { at: formatDateTime(first.at) })}</small>}
      </div>
    </>
  )
}
