import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { Button } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TRIGGERS, triggerAddress } from '../addresses.ts'
import { bodyOf, type Draft, draftOf, FRESH, missingOf } from '../draft.ts'
import { useScopeModel, useTrigger, useTriggerChanged } from '../hooks.ts'
import { STATE_KIND } from '../lists.ts'
import css from '../triggers.module.css'
import { DryRun } from './dry-run.tsx'
import { EditorFields } from './editor-fields.tsx'
import { ProblemsProvider, problemsOf } from './problems.tsx'

/** Makes a trigger or changes one; what it would have done is asked beside it. */
export function Editor({ id }: { id: string | null }) {
  const { t } = useTranslation('triggers')
  const [params] = useSearchParams()
  const from = id ?? params.get('from') ?? ''
  const mayWrite = useMay('triggers.update')
  const query = useTrigger(from)
  // The form begins with what was there when it was opened; nothing may change it under the typing.
  const first = useRef<TriggerView | null>(null)
  first.current ??= query.data ?? null
  const title = t(id === null ? 'createTitle' : 'editTitle')
  if (!mayWrite || (from !== '' && first.current === null))
    return (
      <>
        <PageHeader title={title} crumbs={[{ title: t('title'), to: TRIGGERS }]} />
        {!mayWrite ? (
          <NoPermissionState of="triggers.update" />
        ) : query.error instanceof ApiError && query.error.status === 404 ? (
          <EmptyState title={t('gone')} description={t('goneText')} />
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <FrameSkeleton />
        )}
      </>
    )
  const deviceId = params.get('deviceId')
  const productId = params.get('productId')
  const initial: Draft = first.current
    ? { ...draftOf(first.current), ...(id === null ? { name: t('copyOf', { name: first.current.name }) } : {}) }
    : {
        ...FRESH,
        ...(deviceId ? { scope: { ...FRESH.scope, devices: [deviceId] } } : {}),
        ...(productId ? { scopeKind: 'products' as const, scope: { ...FRESH.scope, products: [productId] } } : {}),
      }
  return <Form view={id === null ? null : first.current} initial={initial} title={title} />
}

function Form({ view, initial, title }: { view: TriggerView | null; initial: Draft; title: string }) {
  const { t } = useTranslation('triggers')
  const navigate = useNavigate()
  const changed = useTriggerChanged()
  const [begin] = useState(initial)
  const [draft, setDraft] = useState(initial)
  const [missing, setMissing] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<unknown>(null)
  const [done, setDone] = useState(false)
  const dirty = JSON.stringify(draft) !== JSON.stringify(begin)
  const guard = useUnsavedGuard(dirty && !done)
  const create = useAct('triggers.create', { touches: ['alarms'], done: changed })
  const update = useAct('triggers.update', { touches: ['alarms'], done: changed })
  const model = useScopeModel(draft)
  const problems = useMemo(() => problemsOf(missing, failure), [missing, failure])
  const change = (to: Partial<Draft>) => {
    setMissing(before => before.filter(path => !(path in to) && !(path === 'scope' && 'scopeKind' in to)))
    setFailure(null)
    setDraft(before => ({ ...before, ...to }))
  }
  // The guard has to hear first that nothing is unsaved any more.
  const leave = (to: string) => setTimeout(() => void navigate(to, { replace: true }), 0)
  const save = async (enabled: boolean) => {
    const needed = missingOf(draft)
    setMissing(needed)
    setFailure(null)
    if (needed.length > 0) return focusFirst(needed[0]!)
    try {
      const body = bodyOf(draft, enabled)
      const saved = view
        ? await update.send({
            params: { id: view.id },
            // Everything is said, so that what was taken away is gone.
            body: { description: '', expiresAt: null, ...body, version: view.version },
          })
        : await create.send({ body })
      setDone(true)
      notify.success(t(enabled ? 'savedEnabled' : 'savedDisabled', { name: saved.name }))
      leave(triggerAddress(saved.id))
    } catch (error) {
      setFailure(error)
      if (error instanceof ApiError && error.status === 422) focusFirst(Object.keys(error.fields)[0] ?? '')
    }
  }
  const pending = create.pending || update.pending
  const back = view ? triggerAddress(view.id) : TRIGGERS
  return (
    <>
      <PageHeader
        title={title}
        crumbs={[{ title: t('title'), to: TRIGGERS }, ...(view ? [{ title: view.name, to: back }] : [])]}
        extra={view && <StatusTag kind={STATE_KIND[view.state]}>{t(`states.${view.state}`)}</StatusTag>}
        description={t('editorLead')}
        actions={
          <>
            <Button onClick={() => guard.ask(() => leave(back))}>{t('cancel')}</Button>
            <Button loading={pending} onClick={() => void save(false)}>
              {t('saveDisabled')}
            </Button>
            <Button type="primary" loading={pending} onClick={() => void save(true)}>
              {t('saveEnabled')}
            </Button>
          </>
        }
      />
      <ProblemsProvider value={problems}>
        <div className={css.editor}>
          <div className={css.stack}>
            {failure !== null && <FormAlert error={failure} rest={problems.rest} />}
            <EditorFields draft={draft} model={model} onChange={change} />
          </div>
          <aside className={css.stack} aria-label={t('dryRun.title')}>
            <DryRun draft={draft} model={model} />
          </aside>
        </div>
      </ProblemsProvider>
      {guard.dialog}
    </>
  )
}

/** Brings the first field that is complained about into sight. */
function focusFirst(path: string): void {
  setTimeout(() => {
    const field = document.querySelector<HTMLElement>(`[data-problem="${CSS.escape(path)}"]`)
    field?.scrollIntoView({ block: 'center' })
    field?.parentElement?.querySelector<HTMLElement>('input, textarea, [role="combobox"]')?.focus()
  }, 0)
}
