import type { WrittenBytes } from '@thingwright/contracts/links.contract'
import { Segmented } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeInput } from '../payload-format/fields.tsx'
import css from './product-link.module.css'

/** A field with its name above, help and complaint under it. */
export function LinkField({
  label,
  help,
  problem,
  wide = false,
  children,
}: {
  label: ReactNode
  help?: ReactNode
  problem?: string | undefined
  wide?: boolean
  children: ReactNode
}) {
  return (
    <div className={wide ? `${css.field} ${css.wideField}` : css.field}>
      <span className={css.label}>{label}</span>
      {children}
      {help && <small>{help}</small>}
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** A part of the form under a heading of its own. */
export function LinkSection({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <section className={css.section}>
      <div className={css.sectionHead}>
        <h3>{title}</h3>
        <p>{hint}</p>
      </div>
      <div className={css.sectionBody}>{children}</div>
    </section>
  )
}

/** Bytes as text or hex. */
export function BytesInput({
  label,
  value,
  disabled,
  placeholder,
  wrong = false,
  onChange,
}: {
  label: string
  value: WrittenBytes
  disabled: boolean
  placeholder?: string
  wrong?: boolean
  onChange: (value: WrittenBytes) => void
}) {
  const { t } = useTranslation('product-link')
  return (
    <div className={css.bytesInput}>
      <Segmented
        value={value.encoding}
        disabled={disabled}
        options={[
          { value: 'text', label: t('text') },
          { value: 'hex', label: 'HEX' },
        ]}
        onChange={encoding => onChange({ ...value, encoding: encoding as 'text' | 'hex' })}
      />
      <CodeInput
        label={label}
        value={value.value}
        disabled={disabled}
        maxLength={128}
        wrong={wrong}
        {...(placeholder === undefined ? {} : { placeholder })}
        onChange={next => onChange({ ...value, value: next })}
      />
    </div>
  )
}
