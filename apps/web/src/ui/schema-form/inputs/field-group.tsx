import { below, type Field, type Values, visibleFields } from '../field.ts'
import type { FieldViewComponent } from '../field-view-props.ts'
import css from '../schema-form.module.css'
import type { SchemaFormState } from '../use-schema-form.ts'

/** Fields inside an object. */
export function FieldGroup({
  View,
  fields,
  values,
  path,
  onChange,
  form,
  disabled,
}: {
  View: FieldViewComponent
  fields: readonly Field[]
  values: Values
  path: string
  onChange: (values: Values) => void
  form: SchemaFormState
  disabled: boolean
}) {
  return (
    <div className={css.nested}>
      {visibleFields(fields, values).map(field => (
        <View
          key={field.key}
          field={field}
          path={below(path, field.key)}
          value={values[field.key]}
          onChange={value => onChange({ ...values, [field.key]: value })}
          form={form}
          disabled={disabled}
        />
      ))}
    </div>
  )
}
