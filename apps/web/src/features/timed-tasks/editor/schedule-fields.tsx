import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { DAY_KINDS } from '@thingwright/contracts/triggers.words'
import { Button, Input, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { asKind, type Draft, type Typed } from '../draft.ts'
import { KINDS, type Kind } from '../lists.ts'
import { Complaint } from '../problems.tsx'
import css from '../timed-tasks.module.css'

const WEEK = [1, 2, 3, 4, 5, 6, 7] as const
const MONTH_DAYS = [...Array.from({ length: 31 }, (_, at) => at + 1), 'last' as const]
const MONTHS = Array.from({ length: 12 }, (_, at) => at + 1)
const UNITS = { minutes: 60, hours: 3600, seconds: 1 } as const
const MAX_TIMES = 48

type Words = ReturnType<typeof useTranslation<'timed-tasks'>>['t']

interface Props {
  draft: Pick<Draft, 'schedule' | 'calendarId'>
  onChange: (to: Partial<Draft>) => void
}

/** When it runs: the kind, then what the kind asks for. */
export function ScheduleFields({ draft, onChange }: Props) {
  const { t } = useTranslation('timed-tasks')
  const { schedule } = draft
  const set = (to: Record<string, unknown>) => {
    const next: Typed = { ...schedule, ...to }
    for (const [key, value] of Object.entries(to)) if (value === undefined) delete next[key]
    onChange({ schedule: next })
  }
  return (
    <div className={css.stack}>
      <div className={css.field}>
        <span>{t('kind')}</span>
        <Segmented
          aria-label={t('kind')}
          className={css.kinds ?? ''}
          value={schedule.kind}
          options={KINDS.map(value => ({ value, label: t(`kinds.${value}`) }))}
          onChange={(kind: Kind) => onChange({ schedule: asKind(kind, schedule, new Date()) })}
        />
        <small>{t(`kindHelp.${schedule.kind}`)}</small>
      </div>
      <KindFields schedule={schedule} set={set} t={t} />
      {schedule.kind !== 'once' && schedule.kind !== 'cron' && (
        <DayKind draft={draft} set={set} onChange={onChange} t={t} />
      )}
      <div className={css.field}>
        <span>{t('zone')}</span>
        <Select
          aria-label={t('zone')}
          className={css.wide ?? ''}
          showSearch
          allowClear
          placeholder={t('zoneOfCompany')}
          value={schedule.zone ?? null}
          options={Intl.supportedValuesOf('timeZone').map(value => ({ value, label: value }))}
          onChange={zone => set({ zone: zone ?? undefined })}
        />
        <Complaint path="schedule.zone" />
      </div>
      <Complaint path="schedule" />
    </div>
  )
}

interface KindProps {
  schedule: Typed
  set: (to: Record<string, unknown>) => void
  t: Words
}

function KindFields(props: KindProps) {
  const { schedule, set, t } = props
  switch (schedule.kind) {
    case 'once':
      return (
        <div className={css.field}>
          <span>{t('at')}</span>
          <Input
            aria-label={t('at')}
            type="datetime-local"
            className={css.wide ?? ''}
            value={String(schedule.at ?? '')}
            onChange={event => set({ at: event.target.value })}
          />
          <Complaint path="schedule.at" />
        </div>
      )
    case 'daily':
      return <Times {...props} />
    case 'weekly':
      return (
        <>
          <WeekDays {...props} needed />
          <Times {...props} />
        </>
      )
    case 'monthly':
      return (
        <>
          <div className={css.field}>
            <span>{t('monthDays')}</span>
            <Select
              aria-label={t('monthDays')}
              mode="multiple"
              value={(schedule.days as (number | 'last')[]) ?? []}
              options={MONTH_DAYS.map(value => ({
                value,
                label: value === 'last' ? t('lastDay') : t('dayOf', { day: value }),
              }))}
              onChange={(days: (number | 'last')[]) => set({ days })}
            />
            <Complaint path="schedule.days" />
          </div>
          <div className={css.field}>
            <span>{t('months')}</span>
            <Select
              aria-label={t('months')}
              mode="multiple"
              placeholder={t('everyMonth')}
              value={(schedule.months as number[]) ?? []}
              options={MONTHS.map(value => ({ value, label: t('monthOf', { month: value }) }))}
              onChange={(months: number[]) => set({ months: months.length > 0 ? months : undefined })}
            />
          </div>
          <Times {...props} />
        </>
      )
    case 'interval':
      return (
        <>
          <Every {...props} />
          <div className={css.field}>
            <span>{t('window')}</span>
            <span className={css.line}>
              <Clock label={t('from')} value={schedule.from} onChange={from => set({ from })} />
              <span aria-hidden="true">–</span>
              <Clock label={t('to')} value={schedule.to} onChange={to => set({ to })} />
              {String(schedule.to) <= String(schedule.from) && <small>{t('overMidnight')}</small>}
            </span>
            <Complaint path="schedule.from" />
            <Complaint path="schedule.to" />
          </div>
          <WeekDays {...props} />
        </>
      )
    case 'pair':
      return (
        <>
          <div className={css.line}>
            <Moment label={t('onAt')} value={schedule.on} onChange={on => set({ on })} t={t} />
            <span aria-hidden="true">→</span>
            <Moment label={t('offAt')} value={schedule.off} onChange={off => set({ off })} t={t} />
            {typeof schedule.on === 'string' && typeof schedule.off === 'string' && schedule.off <= schedule.on && (
              <small>{t('overMidnight')}</small>
            )}
          </div>
          <Complaint path="schedule.on" below />
          <Complaint path="schedule.off" below />
          <Complaint path="schedule.event" />
          <WeekDays {...props} />
        </>
      )
    case 'sun':
      return (
        <>
          <Moment
            label={t('kinds.sun')}
            value={{ sun: schedule.event, offsetMinutes: schedule.offsetMinutes }}
            onChange={moment => {
              const { sun, offsetMinutes } = moment as { sun: string; offsetMinutes?: number }
              set({ event: sun, offsetMinutes: offsetMinutes || undefined })
            }}
            onlySun
            t={t}
          />
          <Complaint path="schedule.event" />
          <Complaint path="schedule.offsetMinutes" />
          <WeekDays {...props} />
        </>
      )
    case 'cron':
      return (
        <div className={css.field}>
          <span>{t('cron')}</span>
          <Input
            aria-label={t('cron')}
            className={css.wide ?? ''}
            maxLength={128}
            value={String(schedule.expression ?? '')}
            onChange={event => set({ expression: event.target.value })}
          />
          <Complaint path="schedule.expression" />
        </div>
      )
  }
}

function Clock({ label, value, onChange }: { label: string; value: unknown; onChange: (value: string) => void }) {
  return (
    <Input
      aria-label={label}
      type="time"
      className={css.short ?? ''}
      value={String(value ?? '')}
      onChange={event => onChange(event.target.value)}
    />
  )
}

function Times({ schedule, set, t }: KindProps) {
  const times = (schedule.times as string[] | undefined) ?? []
  return (
    <div className={css.field}>
      <span>{t('times')}</span>
      <span className={css.line}>
        {times.map((time, at) => (
          // Times have no names of their own; their place tells them apart.
          <span key={at} className={css.line}>
            <Clock
              label={t('timeNo', { n: at + 1 })}
              value={time}
              onChange={next => set({ times: times.with(at, next) })}
            />
            {times.length > 1 && (
              <Button
                type="text"
                icon={<CloseOutlined aria-hidden />}
                aria-label={t('removeTime')}
                onClick={() => set({ times: times.filter((_, place) => place !== at) })}
              />
            )}
          </span>
        ))}
        {times.length < MAX_TIMES && (
          <Button
            size="small"
            type="link"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => set({ times: [...times, '12:00'] })}
          >
            {t('addTime')}
          </Button>
        )}
      </span>
      <Complaint path="schedule.times" below />
    </div>
  )
}

function WeekDays({ schedule, set, t, needed = false }: KindProps & { needed?: boolean }) {
  const days = (schedule.days as number[] | undefined) ?? []
  return (
    <div className={css.field}>
      <span>{t('weekDays')}</span>
      <Select
        aria-label={t('weekDays')}
        mode="multiple"
        placeholder={t('everyDay')}
        value={days}
        options={WEEK.map(value => ({ value, label: t(`day.${value}`) }))}
        onChange={(next: number[]) =>
          set({ days: next.length > 0 || needed ? next.toSorted((a, b) => a - b) : undefined })
        }
      />
      <Complaint path="schedule.days" />
    </div>
  )
}

function Every({ schedule, set, t }: KindProps) {
  const seconds = Number(schedule.everySeconds ?? 60)
  const unit = seconds % 3600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds'
  return (
    <div className={css.field}>
      <span>{t('everyLabel')}</span>
      <span className={css.line}>
        <InputNumber
          aria-label={t('everyLabel')}
          className={css.short ?? ''}
          min={1}
          precision={0}
          value={seconds / UNITS[unit]}
          onChange={count => set({ everySeconds: Number(count ?? 1) * UNITS[unit] })}
        />
        <Select
          aria-label={t('unit')}
          className={css.short ?? ''}
          value={unit}
          options={(Object.keys(UNITS) as (keyof typeof UNITS)[]).map(value => ({
            value,
            label: t(`unitOf.${value}`),
          }))}
          onChange={(next: keyof typeof UNITS) => set({ everySeconds: (seconds / UNITS[unit]) * UNITS[next] })}
        />
      </span>
      <Complaint path="schedule.everySeconds" />
    </div>
  )
}

/** A time of the clock, or one of the sun with minutes before or after it. */
function Moment({
  label,
  value,
  onChange,
  onlySun = false,
  t,
}: {
  label: string
  value: unknown
  onChange: (value: unknown) => void
  onlySun?: boolean
  t: Words
}) {
  const sun = typeof value === 'object' && value !== null ? (value as { sun: string; offsetMinutes?: number }) : null
  const choices = [...(onlySun ? [] : ['clock' as const]), 'sunrise' as const, 'sunset' as const]
  return (
    <span className={css.line}>
      <span>{label}</span>
      <Select
        aria-label={`${label} ${t('by')}`}
        className={css.short ?? ''}
        value={sun ? sun.sun : 'clock'}
        options={choices.map(each => ({ value: each, label: each === 'clock' ? t('clock') : t(`sun.${each}`) }))}
        onChange={(next: string) => onChange(next === 'clock' ? '08:00' : { ...sun, sun: next })}
      />
      {sun ? (
        <InputNumber
          aria-label={t('offset')}
          className={css.short ?? ''}
          min={-720}
          max={720}
          precision={0}
          value={sun.offsetMinutes ?? 0}
          suffix={t('unitOf.minutes')}
          onChange={minutes => onChange(minutes ? { ...sun, offsetMinutes: Number(minutes) } : { sun: sun.sun })}
        />
      ) : (
        <Clock label={label} value={value} onChange={onChange} />
      )}
    </span>
  )
}

function DayKind({ draft, set, onChange, t }: Props & { set: KindProps['set']; t: Words }) {
  const calendars = useRead('calendars.list', {}, { enabled: useMay('calendars.list'), staleTime: 30_000 })
  const dayKind = (draft.schedule.dayKind as string | undefined) ?? 'any'
  return (
    <div className={css.field}>
      <span>{t('onDays')}</span>
      <span className={css.line}>
        <Select
          aria-label={t('onDays')}
          className={css.short ?? ''}
          value={dayKind}
          options={DAY_KINDS.map(value => ({
            value,
            label: value === 'any' ? t('everyDay') : t(`dayKind.${value}`),
          }))}
          onChange={(next: string) => {
            if (next === 'any') onChange({ calendarId: null })
            set({ dayKind: next === 'any' ? undefined : next })
          }}
        />
        {dayKind !== 'any' && (
          <Select
            aria-label={t('calendar')}
            className={css.wide ?? ''}
            value={draft.calendarId ?? ''}
            loading={calendars.isFetching}
            options={[
              { value: '', label: t('weekendsOnly') },
              ...(calendars.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id: string) => onChange({ calendarId: id === '' ? null : id })}
          />
        )}
      </span>
      <Complaint path="schedule.dayKind" />
      <Complaint path="calendarId" />
    </div>
  )
}
