import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { MAX_SPAN_MS, MIN_SPAN_MS } from '../../../ui/chart/time-axis.ts'

/** From when to when, by the second. */
export function RangePicker({
  from,
  to,
  onChange,
}: {
  from: number
  to: number
  onChange: (from: number, to: number) => void
}) {
  const { t } = useTranslation('devices')
  return (
    <DatePicker.RangePicker
      showTime
      allowClear={false}
      aria-label={t('range.custom')}
      style={{ width: 340 }}
      value={[dayjs(from), dayjs(to)]}
      disabledDate={day => day.isAfter(dayjs().endOf('day'))}
      onChange={moments => {
        const start = moments?.[0]?.valueOf()
        const end = moments?.[1]?.valueOf()
        if (start !== undefined && end !== undefined && end - start >= MIN_SPAN_MS && end - start <= MAX_SPAN_MS)
          onChange(start, end)
      }}
    />
  )
}
