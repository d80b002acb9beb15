import { Input } from 'antd'
import { useState } from 'react'
import { Unreadable } from '../field.ts'
import css from '../schema-form.module.css'

/** A text area whose text is read into a value at each change; the text itself stays as it was typed. */
export function ParsedText({
  value,
  onChange,
  print,
  parse,
  rows,
  ...rest
}: {
  id: string
  value: unknown
  onChange: (value: unknown) => void
  print: (value: unknown) => string
  parse: (text: string) => unknown
  rows: number
  disabled?: boolean
  status?: 'error'
}) {
  const [typed, setTyped] = useState({ text: value instanceof Unreadable ? value.text : print(value), value })
  const text = typed.value === value ? typed.text : value instanceof Unreadable ? value.text : print(value)
  return (
    <Input.TextArea
      {...rest}
      className={css.mono ?? ''}
      rows={rows}
      spellCheck={false}
      value={text}
      onChange={event => {
        const next = parse(event.target.value)
        setTyped({ text: event.target.value, value: next })
        onChange(next)
      }}
    />
  )
}
