import type { TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import { Button, Input, Segmented } from 'antd'
import { useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { InputNumber } from '../../../ui/input-number.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TIMED_TASKS } from '../addresses.ts'
import { bodyOf, type Draft, draftOf, freshDraft, turnedRound } from '../draft.ts'
import { Complaint, ProblemsProvider, problemsOf } from '../problems.tsx'
import css from '../timed-tasks.module.css'
import { NextRuns } from './next-runs.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { Steps } from './steps.tsx'

/** Makes a timed task or changes one; its next runs stand beside it as it is typed. */
export function TaskEditor({ id }: { id: string | null }) {
  const { t } = useTranslation('timed-tasks')
  const [params] = useSearchParams()
  const mayWrite = useMay('timedTasks.update')
  const from = id ?? params.get('from') ?? ''
  const query = useRead('timedTasks.get', { params: { id: from } }, { enabled: mayWrite && from !== '' })
  // The form begins with what was there when it was opened; nothing may change it under the typing.
  const first = useRef<TimedTaskView | null>(null)
  first.current ??= query.data ?? null
  const title = t(id === null ? 'createTitle' : 'editTitle')
  if (!mayWrite || (from !== '' && first.current === null))
    return (
      <>
        <PageHeader title={title} crumbs={[{ title: t('title'), to: TIMED_TASKS }]} />
        {!mayWrite ? (
          <NoPermissionState of="timedTasks.update" />
        ) : query.error instanceof ApiError && query.error.status === 404 ? (
          <EmptyState title={t('taskGone')} description={t('taskGoneText')} />
        ) : query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <FrameSkeleton />
        )}
      </>
    )
  const view = first.current
  const initial = view
    ? { ...draftOf(view), ...(id === null ? { name: t('copyOf', { name: view.name }) } : {}) }
    : freshDraft(params.get('deviceId'), new Date())
  return <Form view={id === null ? null : view} initial={initial} title={title} />
}

function Form({ view, initial, title }: { view: TimedTaskView | null; initial: Draft; title: string }) {
  const { t } = useTranslation('timed-tasks')
  const navigate = useNavigate()
  const id = useId()
  const [begin] = useState(initial)
  const [draft, setDraft] = useState(initial)
  const [ownEnd, setOwnEnd] = useState(initial.offActions.length > 0)
  const [failure, setFailure] = useState<unknown>(null)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(JSON.stringify(draft) !== JSON.stringify(begin) && !done)
  const create = useAct('timedTasks.create')
  const update = useAct('timedTasks.update')
  const problems = useMemo(() => problemsOf(failure), [failure])
  const isPair = draft.schedule.kind === 'pair'
  const change = (to: Partial<Draft>) =>
    setDraft(before => {
      const next = { ...before, ...to }
      // Until somebody changes the end of a pair, it is the other way round of its beginning.
      const end = next.schedule.kind === 'pair' && !ownEnd && !to.offActions ? turnedRound(next.actions) : null
      return end ? { ...next, offActions: end } : next
    })
  // The guard has to hear first that nothing is unsaved any more.
  const leave = () => setTimeout(() => void navigate(TIMED_TASKS, { replace: true }), 0)
  const save = async (enabled: boolean) => {
    setFailure(null)
    try {
      const body = bodyOf(draft, enabled)
      const saved = view
        ? await update.send({ params: { id: view.id }, body: { ...body, version: view.version } })
        : await create.send({ body })
      setDone(true)
      notify.success(t(enabled ? 'savedEnabled' : 'savedDisabled', { name: saved.name }))
      leave()
    } catch (error) {
      setFailure(error)
      const [path] = Object.keys(problemsOf(error))
      if (path)
        setTimeout(
          () => document.querySelector(`[data-problem="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'center' }),
          0,
        )
    }
  }
  const pending = create.pending || update.pending
  return (
    <>
      <PageHeader
        title={title}
        crumbs={[{ title: t('title'), to: TIMED_TASKS }]}
        description={t('editorLead')}
        actions={
          <>
            <Button onClick={() => guard.ask(leave)}>{t('cancel')}</Button>
            <Button loading={pending} disabled={draft.name.trim() === ''} onClick={() => void save(false)}>
              {t('savePaused')}
            </Button>
            <Button
              type="primary"
              loading={pending}
              disabled={draft.name.trim() === ''}
              onClick={() => void save(true)}
            >
              {t('saveEnabled')}
            </Button>
          </>
        }
      />
      <ProblemsProvider value={problems}>
        <div className={css.editor}>
          <div className={css.stack}>
            {failure !== null && <FormAlert error={failure} />}
            <Panel>
              <div className={css.field}>
                <label htmlFor={`${id}-name`}>{t('name')}</label>
                <Input
                  id={`${id}-name`}
                  value={draft.name}
                  maxLength={64}
                  onChange={event => change({ name: event.target.value })}
                />
                <Complaint path="name" />
              </div>
            </Panel>
            <Panel title={t('section.when')}>
              <ScheduleFields draft={draft} onChange={change} />
            </Panel>
            <Panel title={isPair ? t('section.on') : t('section.what')} hint={t('section.whatHint')}>
              <Steps actions={draft.actions} path="actions" onChange={actions => change({ actions })} />
            </Panel>
            {isPair && (
              <Panel title={t('section.off')} hint={t('section.offHint')}>
                <Steps
                  actions={draft.offActions}
                  path="offActions"
                  onChange={offActions => {
                    setOwnEnd(true)
                    change({ offActions })
                  }}
                />
              </Panel>
            )}
            <Panel title={t('section.more')}>
              <div className={css.stack}>
                <div className={css.field}>
                  <span>{t('misfire')}</span>
                  <span className={css.line}>
                    <Segmented
                      aria-label={t('misfire')}
                      value={draft.misfire}
                      options={(['skip', 'once'] as const).map(value => ({ value, label: t(`misfireOf.${value}`) }))}
                      onChange={(misfire: Draft['misfire']) => change({ misfire })}
                    />
                    {draft.misfire === 'once' && (
                      <InputNumber
                        aria-label={t('misfireMinutes')}
                        className={css.short ?? ''}
                        min={1}
                        max={1440}
                        precision={0}
                        value={draft.misfireMinutes}
                        suffix={t('unitOf.minutes')}
                        onChange={minutes => change({ misfireMinutes: Number(minutes ?? 1) })}
                      />
                    )}
                  </span>
                  <small>{t('misfireHelp')}</small>
                </div>
                <div className={css.field}>
                  <label htmlFor={`${id}-description`}>{t('description')}</label>
                  <Input.TextArea
                    id={`${id}-description`}
                    rows={2}
                    maxLength={512}
                    value={draft.description}
                    onChange={event => change({ description: event.target.value })}
                  />
                </div>
              </div>
            </Panel>
          </div>
          <aside className={css.stack} aria-label={t('nextRuns')}>
            <NextRuns draft={draft} />
          </aside>
        </div>
      </ProblemsProvider>
      {guard.dialog}
    </>
  )
}
