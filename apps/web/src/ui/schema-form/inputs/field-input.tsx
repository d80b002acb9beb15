import { Input, Select, Switch } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field, Values } from '../field.ts'
import { Unreadable } from '../field.ts'
import type { FieldViewComponent } from '../field-view-props.ts'
import css from '../schema-form.module.css'
import type { SchemaFormState } from '../use-schema-form.ts'
import { ArrayInput } from './array-input.tsx'
import { ChoiceInput } from './choice-input.tsx'
import { DurationInput } from './duration-input.tsx'
import { FieldGroup } from './field-group.tsx'
import { GeoInput } from './geo-input.tsx'
import { NumberInput } from './number-input.tsx'
import { ParsedText } from './parsed-text.tsx'

// Heavy controls that most forms do without.
const DateInput = lazy(async () => ({ default: (await import('./date-input.tsx')).DateInput }))
const ColorInput = lazy(async () => ({ default: (await import('./color-input.tsx')).ColorInput }))

export interface FieldInputProps {
  View: FieldViewComponent
  field: Field
  path: string
  id: string
  value: unknown
  onChange: (value: unknown) => void
  form: SchemaFormState
  disabled: boolean
  invalid: boolean
  describedBy: string
}

/** The control that fits a field's kind. */
export function FieldInput(props: FieldInputProps) {
  const { View, field, path, id, value, onChange, form, disabled, invalid, describedBy } = props
  const { t } = useTranslation('schema-form')
  const common = {
    id,
    disabled,
    ...(invalid ? { status: 'error' as const, 'aria-invalid': true } : {}),
    ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
    ...(field.required ? { 'aria-required': true } : {}),
    ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
  }
  const text = typeof value === 'string' ? value : ''
  switch (field.kind) {
    case 'string':
    case 'file': {
      const mono = field.kind === 'string' && field.mono ? (css.mono ?? '') : ''
      const limit = field.maxLength !== undefined && field.maxLength <= 1000 ? field.maxLength : undefined
      if (field.kind === 'string' && field.secret)
        return (
          <Input.Password
            {...common}
            value={text}
            autoComplete="new-password"
            onChange={event => onChange(event.target.value)}
          />
        )
      if (field.kind === 'string' && field.rows !== undefined)
        return (
          <Input.TextArea
            {...common}
            className={mono}
            value={text}
            rows={field.rows}
            {...(limit === undefined ? {} : { showCount: true, maxLength: limit })}
            onChange={event => onChange(event.target.value)}
          />
        )
      return (
        <Input
          {...common}
          className={mono}
          value={text}
          // What is pasted into a number with a shape is checked, never cut: a number without its end is another one.
          {...(limit === undefined || ('pattern' in field && field.pattern) ? {} : { maxLength: limit })}
          onChange={event => onChange(event.target.value)}
        />
      )
    }
    case 'number':
      return <NumberInput {...common} value={value} onChange={onChange} step={field.step} unit={field.unit} />
    case 'int64':
      return (
        <Input
          {...common}
          inputMode="numeric"
          value={value === undefined || value === null ? '' : String(value)}
          suffix={field.unit}
          onChange={event => onChange(event.target.value.trim())}
        />
      )
    case 'enum':
      return <ChoiceInput {...common} field={field} value={value} onChange={onChange} />
    case 'bool':
      return (
        <span className={css.switchRow}>
          <Switch id={id} checked={value === true} disabled={disabled} onChange={onChange} />
          <span>{value === true ? (field.trueText ?? t('yes')) : (field.falseText ?? t('no'))}</span>
        </span>
      )
    case 'date':
      return (
        <Suspense fallback={<Input disabled />}>
          <DateInput {...common} value={value} onChange={onChange} />
        </Suspense>
      )
    case 'color':
      return (
        <Suspense fallback={<Input disabled />}>
          <ColorInput {...common} value={text} onChange={onChange} />
        </Suspense>
      )
    case 'geo':
      return (
        <GeoInput
          View={View}
          field={field}
          path={path}
          value={value}
          onChange={onChange}
          form={form}
          disabled={disabled}
          id={id}
        />
      )
    case 'json':
      return (
        <ParsedText
          {...common}
          rows={field.rows ?? 4}
          value={value}
          onChange={onChange}
          print={given => (given === undefined ? '' : JSON.stringify(given, null, 2))}
          parse={typed => {
            if (typed.trim() === '') return undefined
            try {
              return JSON.parse(typed) as unknown
            } catch {
              return new Unreadable(typed)
            }
          }}
        />
      )
    case 'bytes':
      return (
        <Input.TextArea
          {...common}
          className={css.mono ?? ''}
          autoSize={{ minRows: 1, maxRows: 6 }}
          value={text}
          placeholder="00 ff"
          onChange={event => onChange(event.target.value)}
        />
      )
    case 'tags':
      return (
        <Select
          {...common}
          mode="tags"
          value={(value as string[] | undefined) ?? []}
          tokenSeparators={[',', '\uff0c', ' ']}
          options={(field.suggestions ?? []).map(tag => ({ value: tag, label: tag }))}
          onChange={(tags: string[]) => onChange([...new Set(tags.map(tag => tag.trim()).filter(tag => tag !== ''))])}
        />
      )
    case 'duration':
      return <DurationInput {...common} value={value} onChange={onChange} />
    case 'object':
      return (
        <FieldGroup
          View={View}
          fields={field.fields}
          values={(value ?? {}) as Values}
          path={path}
          onChange={onChange}
          form={form}
          disabled={disabled}
        />
      )
    case 'array':
      return (
        <ArrayInput
          View={View}
          field={field}
          path={path}
          value={(value ?? []) as unknown[]}
          onChange={onChange}
          form={form}
          disabled={disabled}
        />
      )
    case 'custom':
      return field.render({ id, value, onChange, onBlur: () => form.blur(field.key), disabled, invalid })
  }
}
