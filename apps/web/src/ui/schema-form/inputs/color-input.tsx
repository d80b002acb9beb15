import { ColorPicker, Input } from 'antd'
import css from '../schema-form.module.css'

/** A colour as `#rrggbb`, picked or typed. */
export function ColorInput({
  id,
  value,
  onChange,
  disabled = false,
  ...rest
}: {
  id: string
  value: string
  onChange: (value: unknown) => void
  disabled?: boolean
  status?: 'error'
}) {
  return (
    <span className={css.pair}>
      <ColorPicker
        disabled={disabled}
        disabledAlpha
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
        onChangeComplete={colour => onChange(colour.toHexString().slice(0, 7))}
      />
      <Input
        {...rest}
        id={id}
        disabled={disabled}
        className={css.mono ?? ''}
        value={value}
        placeholder="#1f5eff"
        onChange={event => onChange(event.target.value.trim())}
      />
    </span>
  )
}
