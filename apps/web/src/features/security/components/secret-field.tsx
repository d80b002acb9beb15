import { Input } from 'antd'
import type { CustomField } from '../../../ui/schema-form/field.ts'

/** A password in a form: masked, with an eye to look at it, known to password managers. */
export function secretField(field: {
  key: string
  label: string
  help?: string
  required?: boolean
  autoComplete: 'current-password' | 'new-password' | 'off'
  maxLength?: number
  check?: CustomField['check']
  visible?: CustomField['visible']
}): CustomField {
  const { autoComplete, maxLength = 128, ...rest } = field
  return {
    ...rest,
    kind: 'custom',
    render: ({ id, value, onChange, onBlur, disabled, invalid }) => (
      <Input.Password
        id={id}
        autoComplete={autoComplete}
        maxLength={maxLength}
        value={typeof value === 'string' ? value : ''}
        disabled={disabled}
        {...(invalid ? { status: 'error' as const, 'aria-invalid': true } : {})}
        onChange={event => onChange(event.target.value)}
        onBlur={onBlur}
      />
    ),
  }
}
