import type { ComponentType } from 'react'
import type { Field } from './field.ts'
import type { SchemaFormState } from './use-schema-form.ts'

export interface FieldViewProps {
  field: Field
  path: string
  value: unknown
  onChange: (value: unknown) => void
  onLeave?: () => void
  form: SchemaFormState
  disabled: boolean
}

/** Fields contain fields: the controls get the component that draws one. */
export type FieldViewComponent = ComponentType<FieldViewProps>
