import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../ui/panel.tsx'
import type { Values } from '../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../ui/schema-form/unsaved-guard.tsx'
import type { SchemaFormState } from '../../ui/schema-form/use-schema-form.ts'
import css from './apps.module.css'

/** A form on a page: it is saved where it stands. */
export function FormPanel({
  title,
  hint,
  form,
  saveText,
  disabled = false,
  waiting = false,
  notice,
  actions,
  onSave,
}: {
  title: ReactNode
  hint?: ReactNode
  form: SchemaFormState
  saveText?: string
  disabled?: boolean
  /** What is shown can be saved although nothing was changed. */
  waiting?: boolean
  notice?: ReactNode
  actions?: ReactNode
  onSave: (values: Values) => Promise<unknown>
}) {
  const { t } = useTranslation('apps')
  const { busy, failure, submit } = useFormSubmit(form, onSave)
  const guard = useUnsavedGuard(form.dirty && !busy)
  return (
    <Panel title={title} hint={hint} actions={actions}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {notice}
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        <SchemaForm form={form} disabled={busy || disabled} />
        {!disabled && (
          <div className={css.foot}>
            <Button type="primary" htmlType="submit" loading={busy} disabled={!form.dirty && !waiting}>
              {saveText ?? t('save')}
            </Button>
          </div>
        )}
      </form>
      {guard.dialog}
    </Panel>
  )
}
