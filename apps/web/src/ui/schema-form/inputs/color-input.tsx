import { ColorPicker, Input } from 'antd'
import { TOKENS } from '../../../lib/tokens.ts'
import css from '../schema-form.module.css'

/** What counts where nothing is set: shown beside the field and as its example. */
const UNSET = TOKENS.light.primary

/** A colour as `#rrggbb`, picked or typed; unset, the picker shows the product's own, which is then in force. */
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
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : UNSET}
        onChangeComplete={colour => onChange(colour.toHexString().slice(0, 7))}
      />
      <Input
        {...rest}
        id={id}
        disabled={disabled}
        className={css.mono ?? ''}
        value={value}
        placeholder={UNSET}
        onChange={event => onChange(event.target.value.trim())}
      />
    </span>
  )
}
