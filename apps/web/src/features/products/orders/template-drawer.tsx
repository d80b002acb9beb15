import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import { Alert, Button, Drawer } from 'antd'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { settled, useRead } from '../../../lib/server-state/use-read.ts'
import { HexBytes } from '../../../ui/command-kit/hex-bytes.tsx'
import type { Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import css from './orders.module.css'
import { fieldsOf } from './template-fields.ts'
import { FRESH, isWritten, samplesOf, templateOf, valuesOf } from './template-form.ts'
import { ORDERED } from './use-orders.ts'

/** Makes or changes a named command; its bytes are shown while it is written. */
export function TemplateDrawer({
  productId,
  template,
  properties,
  onClose,
}: {
  productId: string
  template: CommandTemplateView | null
  /** Identifiers that an interlock may ask. */
  properties: readonly string[]
  onClose: () => void
}) {
  const { t } = useTranslation('orders')
  const create = useAct('commandTemplates.create', { touches: ORDERED })
  const update = useAct('commandTemplates.update', { touches: ORDERED })
  const fields = useMemo(() => fieldsOf(t, properties), [t, properties])
  const initial = useMemo<Values>(() => (template ? valuesOf(template) : FRESH), [template])
  const form = useSchemaForm(fields, initial)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !done)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const body = templateOf(values, template?.body ?? null)
    const params = { id: productId }
    if (template)
      await update.send({
        params: { ...params, templateId: template.id },
        body: { ...body, version: template.version },
      })
    else await create.send({ params, body })
    setDone(true)
    notify.success(t('saved'))
    onClose()
  })
  const close = () => guard.ask(onClose)
  return (
    <Drawer
      open
      size={720}
      title={template ? t('editTitle') : t('createTitle')}
      onClose={close}
      maskClosable={!busy}
      footer={
        <div className={css.foot}>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="primary" loading={busy} onClick={() => void submit()}>
            {t('save')}
          </Button>
        </div>
      }
    >
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        <Preview productId={productId} values={form.values} />
        <SchemaForm form={form} disabled={busy} />
      </form>
    </Drawer>
  )
}

/** What the template would send with its defaults, as the server writes it. */
function Preview({ productId, values }: { productId: string; values: Values }) {
  const { t } = useTranslation('orders')
  // Typing goes first; the bytes follow when there is time.
  const draft = templateOf(values).body
  const ready = isWritten(draft)
  const body = useDeferredValue(JSON.stringify(draft))
  const parsed = useMemo(() => JSON.parse(body) as ReturnType<typeof templateOf>['body'], [body])
  const preview = useRead(
    'commandTemplates.preview',
    { params: { id: productId }, body: { body: parsed, params: isWritten(parsed) ? samplesOf(parsed) : {} } },
    { enabled: ready, keep: true, staleTime: 60_000, through: settled() },
  )
  return (
    <section className={css.preview} data-testid="template-preview" aria-live="polite">
      <h3>{t('preview')}</h3>
      {!ready ? (
        <span className={css.hint}>{t('previewEmpty')}</span>
      ) : preview.isError ? (
        <Alert type="warning" showIcon title={wordsOf(preview.error)} />
      ) : preview.data?.hex ? (
        <HexBytes frames={[preview.data.hex]} />
      ) : preview.data ? (
        <code dir="ltr">{JSON.stringify(preview.data.params)}</code>
      ) : (
        <span className={css.hint}>{t('previewEmpty')}</span>
      )}
    </section>
  )
}

/** What stands first of a refusal: the field's own words, else those of the whole. */
function wordsOf(error: unknown): string {
  const [field] = error instanceof ApiError ? Object.values(error.fields) : []
  return field?.message ?? errorFacts(error).message
}
