import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { Unreadable } from '../field.ts'
import { readNumber } from './read-number.ts'

export interface NumberInputProps {
  id: string
  value: unknown
  onChange: (value: unknown) => void
  step?: number | undefined
  unit?: string | undefined
  disabled?: boolean
  status?: 'error'
  size?: 'small'
  onPressEnter?: () => void
  onBlur?: () => void
  placeholder?: string
}

const print = (value: unknown) =>
  value instanceof Unreadable ? value.text : typeof value === 'number' ? String(value) : ''

/** A number typed as text, so that nothing is rounded or thrown away behind the person's back; arrow keys step. */
export function NumberInput({ value, onChange, step, unit, ...rest }: NumberInputProps) {
  const [typed, setTyped] = useState(print(value))
  useEffect(() => {
    // `1.` and `1.0` mean the same number: what was typed stays as long as it means the value.
    setTyped(before => {
      const meant = readNumber(before)
      const same = meant instanceof Unreadable ? value instanceof Unreadable && value.text === before : meant === value
      return same ? before : print(value)
    })
  }, [value])
  const put = (text: string) => {
    setTyped(text)
    onChange(readNumber(text))
  }
  return (
    <Input
      {...rest}
      inputMode="decimal"
      value={typed}
      suffix={unit}
      onChange={event => put(event.target.value)}
      onKeyDown={event => {
        if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || value instanceof Unreadable) return
        event.preventDefault()
        const by = (step ?? 1) * (event.key === 'ArrowUp' ? 1 : -1)
        put(String(Number(((typeof value === 'number' ? value : 0) + by).toPrecision(12))))
      }}
    />
  )
}
