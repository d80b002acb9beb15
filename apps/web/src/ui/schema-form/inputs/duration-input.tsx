import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Unreadable } from '../field.ts'
import css from '../schema-form.module.css'
import { UNITS, unitFor } from './duration-unit.ts'
import { NumberInput } from './number-input.tsx'

/** A length of time: number and unit; the value is in seconds. */
export function DurationInput({
  id,
  value,
  onChange,
  disabled = false,
  ...rest
}: {
  id: string
  value: unknown
  onChange: (value: unknown) => void
  disabled?: boolean
  status?: 'error'
  placeholder?: string
}) {
  const { t } = useTranslation('schema-form')
  const [unit, setUnit] = useState(() => unitFor(value))
  const shown = typeof value === 'number' ? value / unit : value
  const scaled = (typed: unknown, by: number) =>
    typeof typed === 'number' ? Number((typed * by).toPrecision(12)) : (typed as undefined | Unreadable)
  return (
    <span className={css.pair}>
      <NumberInput
        {...rest}
        id={id}
        disabled={disabled}
        value={shown}
        onChange={typed => onChange(scaled(typed, unit))}
      />
      <Select
        aria-label={t('unit')}
        disabled={disabled}
        value={unit}
        popupMatchSelectWidth={false}
        options={UNITS.map(({ key, seconds }) => ({ value: seconds, label: t(`units.${key}`) })).reverse()}
        onChange={(next: number) => {
          if (typeof shown === 'number') onChange(scaled(shown, next))
          setUnit(next)
        }}
      />
    </span>
  )
}
