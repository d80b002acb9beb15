import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import type { TriggerHours } from '@thingwright/contracts/triggers.contract'
import { Button, Checkbox, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import css from '../triggers.module.css'
import { Complaint } from './problems.tsx'

const DAYS = [1, 2, 3, 4, 5, 6, 7] as const
const MAX_PERIODS = 20

/** Hours in which it raises, in a time zone; without any it raises at any time. */
export function HoursFields({
  hours,
  onChange,
}: {
  hours: TriggerHours | null
  onChange: (hours: TriggerHours | null) => void
}) {
  const { t } = useTranslation('triggers')
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const change = (at: number, to: Partial<TriggerHours['periods'][number]>) =>
    hours &&
    onChange({ ...hours, periods: hours.periods.map((each, place) => (place === at ? { ...each, ...to } : each)) })
  return (
    <div className={css.field}>
      <Checkbox
        checked={hours !== null}
        onChange={event =>
          onChange(event.target.checked ? { zone: own, periods: [{ from: '08:00', to: '18:00' }] } : null)
        }
      >
        {t('hours')}
      </Checkbox>
      {hours && (
        <div className={css.inner}>
          {hours.periods.map((period, at) => (
            // Periods have no names of their own; their place tells them apart.
            <span key={at} className={css.inline}>
              <Select
                aria-label={t('days')}
                mode="multiple"
                className={css.wide ?? ''}
                placeholder={t('everyDay')}
                maxTagCount={4}
                value={period.days ?? []}
                options={DAYS.map(value => ({ value, label: t(`day.${value}`) }))}
                onChange={(days: number[]) => {
                  const { days: _, ...rest } = period
                  onChange({
                    ...hours,
                    periods: hours.periods.with(at, days.length === 0 ? rest : { ...rest, days: [...days].sort() }),
                  })
                }}
              />
              <Input
                aria-label={t('from')}
                type="time"
                className={css.time ?? ''}
                value={period.from}
                onChange={event => change(at, { from: event.target.value })}
              />
              <span aria-hidden="true">–</span>
              <Input
                aria-label={t('to')}
                type="time"
                className={css.time ?? ''}
                value={period.to === '24:00' ? '00:00' : period.to}
                // Midnight as an end is the end of the day.
                onChange={event => change(at, { to: event.target.value === '00:00' ? '24:00' : event.target.value })}
              />
              {period.to < period.from && <small>{t('overMidnight')}</small>}
              {hours.periods.length > 1 && (
                <Button
                  type="text"
                  icon={<CloseOutlined aria-hidden />}
                  aria-label={t('removePeriod')}
                  title={t('removePeriod')}
                  onClick={() => onChange({ ...hours, periods: hours.periods.filter((_, place) => place !== at) })}
                />
              )}
            </span>
          ))}
          <span className={css.inline}>
            {hours.periods.length < MAX_PERIODS && (
              <Button
                size="small"
                type="link"
                icon={<PlusOutlined aria-hidden />}
                onClick={() => onChange({ ...hours, periods: [...hours.periods, { from: '08:00', to: '18:00' }] })}
              >
                {t('addPeriod')}
              </Button>
            )}
            <Select
              aria-label={t('zone')}
              className={css.wide ?? ''}
              showSearch
              value={hours.zone}
              options={zones(hours.zone).map(value => ({ value, label: value }))}
              onChange={zone => onChange({ ...hours, zone })}
            />
          </span>
        </div>
      )}
      <Complaint path="active" below />
    </div>
  )
}

/** Zones that the browser knows, with the one that is set. */
function zones(set: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes(set) ? known : [set, ...known]
}
