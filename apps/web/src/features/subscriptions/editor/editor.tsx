import type { SubscriptionCredentials, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Button } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ApiError } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useReads } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type Field, type Values, visibleFields } from '../../../ui/schema-form/field.ts'
import { FieldView } from '../../../ui/schema-form/field-view.tsx'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import formCss from '../../../ui/schema-form/schema-form.module.css'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { type SchemaFormState, useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { LIST, subscriptionAddress } from '../addresses.ts'
import { CredentialsOnce } from '../detail/credentials-once.tsx'
import { useSubscription, useSubscriptionChanged, useSubscriptionOptions } from '../hooks.ts'
import { TARGETS } from '../lists.ts'
import css from '../subscriptions.module.css'
import { changeBody, FRESH, filterOf, newBody, payloadOf, valuesOf } from './draft.ts'
import { fieldsOf, type SectionName } from './editor-fields.tsx'
import { PayloadPreview, type PreviewRequest, usePreview } from './payload-preview.tsx'

const SECTIONS: readonly SectionName[] = ['content', 'scope', 'target', 'payload', 'delivery']

/** Makes a subscription, or changes one; what it would send is shown beside it all the time. */
export function Editor({ id }: { id: string | null }) {
  const { t } = useTranslation('subscriptions')
  const mayWrite = useMay('subscriptions.update')
  const query = useSubscription(id ?? '', false)
  // The form begins with what was there when it was opened; nothing may change it under the typing.
  const first = useRef<SubscriptionView | null>(null)
  first.current ??= query.data ?? null
  const title = id === null ? t('createTitle') : t('editTitle')
  const crumbs = [{ title: t('title'), to: LIST }]
  if (!mayWrite || (id === null ? false : query.isError && !query.data) || (id !== null && first.current === null))
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
        {!mayWrite ? (
          <NoPermissionState of="subscriptions.update" />
        ) : query.error instanceof ApiError && query.error.status === 404 ? (
          <EmptyState title={t('goneTitle')} description={t('goneText')} />
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <div className={css.pageBone} aria-busy="true" />
        )}
      </>
    )
  return <EditorForm view={first.current} title={title} />
}

function EditorForm({ view, title }: { view: SubscriptionView | null; title: string }) {
  const { t } = useTranslation('subscriptions')
  const navigate = useNavigate()
  const changed = useSubscriptionChanged()
  const create = useAct('subscriptions.create', { done: ({ credentials: _, ...next }) => changed(next) })
  const update = useAct('subscriptions.update', { done: changed })
  const options = useSubscriptionOptions()
  const initial = useMemo<Values>(() => (view ? valuesOf(view) : FRESH), [view])
  const [typed, setTyped] = useState<Values>(initial)
  const names = useModelNames((typed['filter.productIds'] as string[] | undefined) ?? [])
  const request = useMemo(() => previewRequest(typed), [typed])
  const sample = usePreview(request).data?.sample.data
  const targets = options.data?.targets ?? (view ? [view.target.kind] : TARGETS)
  const sections = useMemo(
    () =>
      fieldsOf({
        t,
        view,
        targets: view && !targets.includes(view.target.kind) ? [...targets, view.target.kind] : targets,
        properties: names.properties,
        events: names.events,
        sample: sample ?? NOTHING,
      }),
    [t, view, targets, names, sample],
  )
  const fields = useMemo(() => SECTIONS.flatMap(name => sections[name]), [sections])
  const form = useSchemaForm(fields, initial)
  if (form.values !== typed) setTyped(form.values)
  const [made, setMade] = useState<{ view: SubscriptionView; credentials: SubscriptionCredentials } | null>(null)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !done)
  const back = view ? subscriptionAddress(view.id) : LIST
  const { busy, failure, submit } = useFormSubmit(form, async () => {
    // Whole parts go, built from the values: what a hidden field held belongs to no part any more.
    if (view) {
      const next = await update.send({
        params: { id: view.id },
        body: changeBody(form.values, view),
      })
      setDone(true)
      notify.success(t('saved', { name: next.name }))
      leave(subscriptionAddress(next.id))
      return
    }
    const { credentials, ...next } = await create.send({ body: newBody(form.values) })
    setDone(true)
    notify.success(t('created', { name: next.name }))
    if (credentials && Object.keys(credentials).length > 0) setMade({ view: next, credentials })
    else leave(subscriptionAddress(next.id))
  })
  // The guard has to hear first that nothing is unsaved any more.
  const leave = (to: string) => setTimeout(() => void navigate(to, { replace: true }), 0)
  const cancel = () => guard.ask(() => leave(back))
  return (
    <>
      <PageHeader
        title={title}
        crumbs={[{ title: t('title'), to: LIST }, ...(view ? [{ title: view.name, to: back }] : [])]}
        description={t('editorLead')}
      />
      <form
        className={css.editor}
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <div className={css.editorMain}>
          {SECTIONS.map(name => (
            <Section key={name} name={name} fields={sections[name]} form={form} disabled={busy} />
          ))}
          {failure && (
            <div className={css.late}>
              <FormAlert error={failure.error} rest={failure.rest} />
            </div>
          )}
          <div className={css.saveBar}>
            <Button onClick={cancel}>{t('cancel')}</Button>
            <Button type="primary" htmlType="submit" loading={busy}>
              {view ? t('save') : t('create')}
            </Button>
          </div>
        </div>
        <aside className={css.editorSide} aria-label={t('preview')}>
          <PayloadPreview request={request} single={form.values['target.kind'] !== 'webhook'} title={t('preview')} />
        </aside>
      </form>
      {guard.dialog}
      {made && (
        <CredentialsOnce
          view={made.view}
          credentials={made.credentials}
          onClose={() => leave(subscriptionAddress(made.view.id, 'guide'))}
        />
      )}
    </>
  )
}

function Section({
  name,
  fields,
  form,
  disabled,
}: {
  name: SectionName
  fields: readonly Field[]
  form: SchemaFormState
  disabled: boolean
}) {
  const { t } = useTranslation('subscriptions')
  const shown = visibleFields(fields, form.values)
  if (shown.length === 0) return null
  return (
    <div className={name === 'delivery' ? css.late : undefined}>
      <Panel title={t(`sections.${name}`)} hint={t(`sectionHint.${name}`)}>
        <div className={formCss.form}>
          {shown.map(field => (
            <FieldView
              key={field.key + field.label}
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
      </Panel>
    </div>
  )
}

const NOTHING: Readonly<Record<string, unknown>> = {}

function previewRequest(values: Values): PreviewRequest | null {
  const kinds = (values.kinds ?? []) as NonNullable<PreviewRequest['kinds']>
  const payload = payloadOf(values)
  if (kinds.length === 0 || (payload.format === 'template' && !payload.template)) return null
  return { payload, kinds, filter: filterOf(values) }
}

/** Identifiers that the chosen products have; of the first five, that is enough to choose from. */
function useModelNames(productIds: readonly string[]): { properties: string[]; events: string[] } {
  const allowed = useMay('products.get')
  const products = useReads(
    'products.get',
    productIds.slice(0, 5).map(id => ({ params: { id } })),
    { enabled: allowed, staleTime: 60_000 },
    found => found.map(({ data }) => data?.publishedModel ?? data?.thingModel ?? null),
  )
  return useMemo(() => {
    const of = (part: 'properties' | 'events') => [
      ...new Set(
        products.flatMap(model =>
          ((model?.[part] ?? []) as { identifier?: unknown }[]).flatMap(({ identifier }) =>
            typeof identifier === 'string' ? [identifier] : [],
          ),
        ),
      ),
    ]
    return { properties: of('properties'), events: of('events') }
  }, [products])
}
