import { useTranslation } from 'react-i18next'
import type { Field, GeoField, Values } from '../field.ts'
import type { FieldViewComponent } from '../field-view-props.ts'
import type { SchemaFormState } from '../use-schema-form.ts'
import { FieldGroup } from './field-group.tsx'

/** A place by its degrees (WGS 84), with height and address where asked for. Emptied altogether it is no place. */
export function GeoInput({
  View,
  field,
  path,
  value,
  onChange,
  form,
  disabled,
}: {
  View: FieldViewComponent
  field: GeoField
  path: string
  id: string
  value: unknown
  onChange: (value: unknown) => void
  form: SchemaFormState
  disabled: boolean
}) {
  const { t } = useTranslation('schema-form')
  const parts: Field[] = [
    { kind: 'number', key: 'lng', label: t('longitude'), unit: '°', half: true, placeholder: '-180 … 180' },
    { kind: 'number', key: 'lat', label: t('latitude'), unit: '°', half: true, placeholder: '-90 … 90' },
    ...(field.altitude ? [{ kind: 'number' as const, key: 'alt', label: t('altitude'), unit: 'm', half: true }] : []),
    ...(field.address ? [{ kind: 'string' as const, key: 'address', label: t('address'), maxLength: 256 }] : []),
  ]
  return (
    <FieldGroup
      View={View}
      fields={parts}
      values={(value ?? {}) as Values}
      path={path}
      disabled={disabled}
      form={form}
      onChange={next => {
        const empty = Object.values(next).every(part => part === undefined || part === null || part === '')
        onChange(empty ? undefined : next)
      }}
    />
  )
}
