import type { FocusEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { FieldViewProps } from './field-view-props.ts'
import { FieldInput } from './inputs/field-input.tsx'
import css from './schema-form.module.css'
import { inputId } from './use-schema-form.ts'
import type { Complaint } from './validate.ts'

/** One field with its label, help and complaint. */
export function FieldView({ field, path, value, onChange, onLeave, form, disabled }: FieldViewProps) {
  const { t } = useTranslation('schema-form')
  const id = inputId(form.id, path)
  const complaint = form.complaints.get(path)
  const group = field.kind === 'object' || field.kind === 'array' || field.kind === 'geo'
  const notes = [...(field.help ? [`${id}-help`] : []), ...(complaint ? [`${id}-error`] : [])].join(' ')
  const label = (
    <>
      {field.label}
      {field.required ? (
        <span className={css.star} aria-hidden="true">
          *
        </span>
      ) : null}
    </>
  )
  const body = (
    <>
      <FieldInput
        View={FieldView}
        field={field}
        path={path}
        id={id}
        value={value}
        onChange={onChange}
        form={form}
        disabled={disabled || field.disabled === true}
        invalid={complaint !== undefined}
        describedBy={notes}
      />
      {complaint && (
        <p id={`${id}-error`} className={css.error} role="alert">
          <ComplaintText complaint={complaint} />
        </p>
      )}
      {field.help && (
        <p id={`${id}-help`} className={css.help}>
          {field.help}
        </p>
      )}
    </>
  )
  const leave = onLeave && {
    onBlur: (event: FocusEvent<HTMLElement>) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) onLeave()
    },
  }
  if (group && field.label !== '')
    return (
      <fieldset className={css.group} data-field={id} {...leave}>
        <legend className={css.label}>{label}</legend>
        {body}
      </fieldset>
    )
  return (
    <div className={`${css.field} ${field.third ? css.third : field.half ? css.half : ''}`} data-field={id} {...leave}>
      {field.label !== '' && (
        <label className={css.label} htmlFor={id}>
          {label}
          {field.required && <span className={css.hidden}> ({t('required')})</span>}
        </label>
      )}
      {body}
    </div>
  )
}

/** The words of a complaint. */
export function ComplaintText({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation('schema-form')
  if ('text' in complaint) return complaint.text
  const given = complaint.key === 'pattern' && complaint.params?.text
  return given ? String(given) : t(`complaint.${complaint.key}`, complaint.params ?? {})
}
