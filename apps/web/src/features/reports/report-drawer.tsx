import { REPORT_FORMATS, REPORT_PERIODS } from '@thingwright/contracts/reports.words'
import { Button, Drawer, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../lib/api/api-error.ts'
import { locale } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { FormAlert } from '../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../ui/schema-form/unsaved-guard.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { type AskedList, type Draft, draftOf, freshDraft, recipientKey, recipientOf } from './draft.ts'
import { Complaint, ProblemsProvider, problemsOf } from './problems.tsx'
import css from './reports.module.css'
import { ScheduleFields } from './schedule-fields.tsx'
import { SourceFields } from './source-fields.tsx'

/** Makes a report or changes one. @param id null: a new one */
export function ReportDrawer({
  id,
  asked,
  onClose,
}: {
  id: string | null
  asked: AskedList | null
  onClose: () => void
}) {
  const { t } = useTranslation('reports')
  const stored = useRead('reports.get', { params: { id: id ?? '' } }, { enabled: id !== null, staleTime: 0 })
  if (id !== null && stored.data === undefined)
    return (
      <Drawer open size={560} title={t('editTitle')} onClose={onClose}>
        {stored.error ? <ErrorState error={stored.error} onRetry={() => void stored.refetch()} /> : <FrameSkeleton />}
      </Drawer>
    )
  const initial = stored.data ? draftOf(stored.data) : freshDraft(locale(), asked)
  return (
    <Form key={stored.data?.version ?? 0} id={id} version={stored.data?.version} initial={initial} onClose={onClose} />
  )
}

function Form({
  id,
  version,
  initial,
  onClose,
}: {
  id: string | null
  version: number | undefined
  initial: Draft
  onClose: () => void
}) {
  const { t } = useTranslation('reports')
  const [draft, setDraft] = useState(initial)
  const [failure, setFailure] = useState<unknown>(null)
  const isNew = id === null
  const guard = useUnsavedGuard(JSON.stringify(draft) !== JSON.stringify(initial))
  const create = useAct('reports.create')
  const update = useAct('reports.update')
  const set = (change: Partial<Draft>) => setDraft(before => ({ ...before, ...change }))
  const busy = create.pending || update.pending
  const save = async () => {
    setFailure(null)
    try {
      const saved = isNew
        ? await create.send({ body: draft })
        : await update.send({ params: { id }, body: { ...changed(initial, draft), version: version! } })
      notify.success(t('saved', { name: saved.name }))
      onClose()
    } catch (error) {
      setFailure(error)
    }
  }
  const isFields = failure instanceof ApiError && Object.keys(failure.fields).length > 0
  return (
    <Drawer
      open
      size={560}
      title={isNew ? t('add') : t('editTitle')}
      onClose={() => guard.ask(onClose)}
      maskClosable={!busy}
      footer={
        <div className={css.foot}>
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button type="primary" loading={busy} onClick={() => void save()}>
            {t('save')}
          </Button>
        </div>
      }
    >
      <ProblemsProvider value={problemsOf(failure)}>
        <form
          className={css.stack}
          onSubmit={event => {
            event.preventDefault()
            void save()
          }}
        >
          {failure !== null && (!isFields || failure.code !== 'report.invalid') && <FormAlert error={failure} />}
          <div className={css.field}>
            <span>{t('name')}</span>
            <Input
              aria-label={t('name')}
              maxLength={64}
              value={draft.name}
              onChange={event => set({ name: event.target.value })}
            />
            <Complaint path="name" />
          </div>
          <SourceFields draft={draft} set={source => set({ source })} />
          <PeriodField draft={draft} set={set} />
          <div className={css.group}>
            <ScheduleFields draft={draft} set={schedule => set({ schedule })} />
          </div>
          <div className={css.group}>
            <DeliveryFields draft={draft} set={set} />
          </div>
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        </form>
      </ProblemsProvider>
      {guard.dialog}
    </Drawer>
  )
}

/** What was changed: who only renames a report does not become its owner. */
function changed(initial: Draft, draft: Draft): Partial<Draft> {
  const isOther = (key: keyof Draft) => JSON.stringify(initial[key]) !== JSON.stringify(draft[key])
  return Object.fromEntries(Object.entries(draft).filter(([key]) => isOther(key as keyof Draft)))
}

interface FieldProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
}

function PeriodField({ draft, set }: FieldProps) {
  const { t } = useTranslation('reports')
  if (draft.source.kind === 'page') return null
  return (
    <div className={css.field}>
      <span>{t('period')}</span>
      <Select
        aria-label={t('period')}
        allowClear
        placeholder={t('noPeriod')}
        value={draft.period}
        options={REPORT_PERIODS.map(value => ({ value, label: t(`periods.${value}`) }))}
        onChange={(period: Draft['period'] | undefined) => set({ period: period ?? null })}
      />
      <Complaint path="period" />
    </div>
  )
}

function DeliveryFields({ draft, set }: FieldProps) {
  const { t } = useTranslation('reports')
  const reachable = useRead('reports.recipients', { query: {} }, { staleTime: 60_000 })
  return (
    <>
      <div className={css.field}>
        <span>{t('recipients')}</span>
        <Select
          aria-label={t('recipients')}
          mode="tags"
          placeholder={t('recipientsHint')}
          loading={reachable.isFetching}
          showSearch={{ optionFilterProp: 'label' }}
          tokenSeparators={[',', '，', ' ']}
          value={draft.recipients.map(recipientKey)}
          options={(reachable.data?.items ?? []).map(({ kind, id, name, address }) => ({
            value: `${kind}:${id}`,
            label: `${name} <${address}>`,
          }))}
          onChange={(keys: string[]) => set({ recipients: keys.map(recipientOf) })}
        />
        <small>{t('recipientsNote')}</small>
        <Complaint path="recipients" />
      </div>
      <div className={css.field}>
        <span>{t('format')}</span>
        <Select
          aria-label={t('format')}
          value={draft.format}
          options={REPORT_FORMATS.map(value => ({ value, label: value.toUpperCase() }))}
          onChange={(format: Draft['format']) => set({ format })}
        />
      </div>
      <div className={css.field}>
        <span>{t('language')}</span>
        <Select
          aria-label={t('language')}
          value={draft.locale}
          options={[
            { value: 'zh', label: t('languages.zh') },
            { value: 'en', label: t('languages.en') },
          ]}
          onChange={(next: 'zh' | 'en') => set({ locale: next })}
        />
      </div>
      <div className={css.field}>
        <span>{t('misfire')}</span>
        <Select
          aria-label={t('misfire')}
          value={draft.misfire}
          options={(['once', 'skip'] as const).map(value => ({ value, label: t(`misfires.${value}`) }))}
          onChange={(misfire: Draft['misfire']) => set({ misfire })}
        />
      </div>
    </>
  )
}
