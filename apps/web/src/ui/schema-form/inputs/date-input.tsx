import { DatePicker } from 'antd'
import dayjs from 'dayjs'

/** A moment: the value is in epoch milliseconds. */
export function DateInput({
  value,
  onChange,
  ...rest
}: {
  id: string
  value: unknown
  onChange: (value: unknown) => void
  disabled?: boolean
  status?: 'error'
}) {
  return (
    <DatePicker
      {...rest}
      showTime
      style={{ width: '100%' }}
      value={typeof value === 'number' ? dayjs(value) : null}
      onChange={moment => onChange(moment ? moment.valueOf() : undefined)}
    />
  )
}
