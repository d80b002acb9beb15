import { Input } from 'antd'
import { useState } from 'react'
import { scalarOf } from '../conditions.ts'

type Scalar = number | boolean | string

/**
 * A value that may be a number, a truth value or a text. The typed text stays as it is (`1.0` on the way to `1.05`), what
 * is handed on is what it says; empty: undefined.
 */
export function ScalarInput({
  value,
  asText = false,
  keep,
  label,
  placeholder,
  className,
  onChange,
}: {
  value: Scalar | undefined
  asText?: boolean
  /** Texts that are handed on as they are, such as expressions. */
  keep?: (text: string) => boolean
  label: string
  placeholder?: string
  className?: string | undefined
  onChange: (value: Scalar | undefined) => void
}) {
  const [typed, setTyped] = useState(value === undefined ? '' : String(value))
  const read = (text: string) => (text === '' ? undefined : keep?.(text) ? text : scalarOf(text, asText))
  return (
    <Input
      aria-label={label}
      placeholder={placeholder ?? ''}
      className={className ?? ''}
      maxLength={256}
      value={read(typed) === value ? typed : value === undefined ? '' : String(value)}
      onChange={event => {
        setTyped(event.target.value)
        onChange(read(event.target.value))
      }}
    />
  )
}
