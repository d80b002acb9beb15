import { visibleFields } from './field.ts'
import { FieldView } from './field-view.tsx'
import css from './schema-form.module.css'
import type { SchemaFormState } from './use-schema-form.ts'

/** Every form of the console: labels above, help under the field, complaints where they belong. */
export function SchemaForm({ form, disabled = false }: { form: SchemaFormState; disabled?: boolean }) {
  return (
    <div className={css.form}>
      {visibleFields(form.fields, form.values).map(field => (
        <FieldView
          key={field.key}
          field={field}
          path={field.key}
          value={form.values[field.key]}
          onChange={value => form.set(field.key, value)}
          onLeave={() => form.blur(field.key)}
          form={form}
          disabled={disabled}
        />
      ))}
    </div>
  )
}
