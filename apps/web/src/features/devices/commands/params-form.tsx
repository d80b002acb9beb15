import { Button } from 'antd'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import shared from '../devices.module.css'
import css from './commands.module.css'

const NONE: Values = {}

/** Parameters and the button that sends them. Whether a command is dangerous is the server's word (ui/command-kit). */
export function ParamsForm({
  fields,
  initial = NONE,
  description,
  submitText,
  danger,
  disabled = false,
  serverPrefix = 'params',
  send,
}: {
  fields: readonly Field[]
  initial?: Values
  description?: string
  submitText: string
  danger: boolean
  disabled?: boolean
  serverPrefix?: string
  send: (params: Values) => Promise<void>
}) {
  const form = useSchemaForm(fields, initial, { serverPrefix })
  const { busy, failure, submit } = useFormSubmit(form, send)
  return (
    <form
      className={css.paramsForm}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {description && <p className={shared.hint}>{description}</p>}
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      <SchemaForm form={form} disabled={busy} />
      <Button htmlType="submit" type="primary" danger={danger} loading={busy} disabled={disabled}>
        {submitText}
      </Button>
    </form>
  )
}
