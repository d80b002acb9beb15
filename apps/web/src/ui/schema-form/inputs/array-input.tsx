import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { type ArrayField, below, type Field } from '../field.ts'
import type { FieldViewComponent } from '../field-view-props.ts'
import css from '../schema-form.module.css'
import type { SchemaFormState } from '../use-schema-form.ts'

/** A list of values: each with a button to take it out, and one below to add another. */
export function ArrayInput({
  View,
  field,
  path,
  value,
  onChange,
  form,
  disabled,
}: {
  View: FieldViewComponent
  field: ArrayField
  path: string
  value: unknown[]
  onChange: (value: unknown[]) => void
  form: SchemaFormState
  disabled: boolean
}) {
  const { t } = useTranslation('schema-form')
  const full = field.maxItems !== undefined && value.length >= field.maxItems
  const element: Field = { ...field.element, label: '', required: true }
  return (
    <div className={css.list}>
      {value.map((item, at) => (
        // Elements have no identity but their place.
        <div key={`${path}[${at}]`} className={css.listItem}>
          <span className={css.listIndex}>{at + 1}</span>
          <div className={css.listBody}>
            <View
              field={element}
              path={below(path, at)}
              value={item}
              onChange={next => onChange(value.map((old, index) => (index === at ? next : old)))}
              form={form}
              disabled={disabled}
            />
          </div>
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('removeItem', { index: at + 1 })}
            disabled={disabled}
            onClick={() => onChange(value.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        disabled={disabled || full}
        onClick={() => onChange([...value, field.fresh ? field.fresh() : freshValue(field.element)])}
      >
        {t('addItem')}
      </Button>
    </div>
  )
}

function freshValue(field: Field): unknown {
  switch (field.kind) {
    case 'bool':
      return false
    case 'object':
      return {}
    case 'array':
      return []
    default:
      return undefined
  }
}
