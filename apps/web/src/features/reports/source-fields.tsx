import type { ReportSource } from '@thingwright/contracts/reports.contract'
import { REPORT_FUNCTIONS, REPORT_INTERVALS, REPORT_LISTS, REPORT_SOURCES } from '@thingwright/contracts/reports.words'
import type { ThingModel } from '@thingwright/thing-model/model'
import { Select, Tag } from 'antd'
import { useDeferredValue, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../lib/i18n.ts'
import { may, useMay } from '../../lib/permissions.ts'
import { useRead, useReads } from '../../lib/server-state/use-read.ts'
import { useSession } from '../../lib/session.ts'
import { nameOf } from '../../ui/schema-form/from-thing-model.ts'
import { ManySelect } from '../../ui/thing-pickers.tsx'
import { type Draft, freshSource } from './draft.ts'
import { listName } from './lists.ts'
import { Complaint } from './problems.tsx'
import css from './reports.module.css'

interface Props {
  draft: Draft
  set: (source: ReportSource) => void
}

/** What the report is made of. */
export function SourceFields({ draft, set }: Props) {
  const { t } = useTranslation('reports')
  const { source } = draft
  return (
    <>
      <div className={css.field}>
        <span>{t('source')}</span>
        <Select
          aria-label={t('source')}
          value={source.kind}
          options={REPORT_SOURCES.map(value => ({ value, label: t(`sources.${value}`) }))}
          onChange={(kind: ReportSource['kind']) => set(freshSource(kind))}
        />
      </div>
      {source.kind === 'list' && <ListFields draft={draft} set={set} />}
      {source.kind === 'telemetry' && <TelemetryFields draft={draft} set={set} />}
      {source.kind === 'page' && <PageField draft={draft} set={set} />}
    </>
  )
}

function ListFields({ draft, set }: Props) {
  const { t } = useTranslation('reports')
  const { source } = draft
  const rights = useSession(s => s.me?.permissions)
  const asked = useDeferredValue({ source: { ...source, columns: [] }, locale: draft.locale })
  const columns = useRead('reports.columns', { body: asked }, { keep: true, retry: false, staleTime: 60_000 })
  const lists = REPORT_LISTS.filter(list => list === source.list || (may(rights, list) && !NEEDS_ID.has(list)))
  const query = Object.entries(source.query ?? {})
  return (
    <>
      <div className={css.field}>
        <span>{t('list')}</span>
        <Select
          aria-label={t('list')}
          showSearch={{ optionFilterProp: 'label' }}
          value={source.list ?? null}
          options={lists.map(value => ({ value, label: listName(value, t) }))}
          onChange={(list: (typeof REPORT_LISTS)[number]) => set({ kind: 'list', list, query: {}, columns: [] })}
        />
        <Complaint path="source.list" />
      </div>
      <div className={css.field}>
        <span>{t('filters')}</span>
        <span className={css.line}>
          {query.length === 0 && <small>{t('noFilters')}</small>}
          {query.map(([key, value]) => (
            <Tag
              key={key}
              closable
              onClose={() => set({ ...source, query: Object.fromEntries(query.filter(([other]) => other !== key)) })}
            >
              {key}: {value}
            </Tag>
          ))}
        </span>
        <Complaint path="source.query" />
      </div>
      <div className={css.field}>
        <span>{t('columns')}</span>
        <Select
          aria-label={t('columns')}
          mode="multiple"
          placeholder={t('allColumns')}
          loading={columns.isFetching}
          showSearch={{ optionFilterProp: 'label' }}
          value={source.columns ?? []}
          options={(columns.data?.columns ?? []).map(({ key, title }) => ({ value: key, label: title }))}
          onChange={(chosen: string[]) => set({ ...source, columns: chosen })}
        />
        {draft.format === 'pdf' && <small>{t('pdfColumns')}</small>}
        <Complaint path="source.columns" />
      </div>
    </>
  )
}

/** Lists of one thing: they are chosen where that thing is shown. */
const NEEDS_ID = new Set<string>(['commandBatches.export', 'wechatFollowers.export'])
const LOOKED_AT = 3

function TelemetryFields({ draft, set }: Props) {
  const { t } = useTranslation('reports')
  const id = useId()
  const { source } = draft
  const deviceIds = source.deviceIds ?? []
  const models = useReads(
    'thingModels.deviceModel',
    deviceIds.slice(0, LOOKED_AT).map(each => ({ params: { id: each } })),
    { enabled: useMay('thingModels.deviceModel'), staleTime: 60_000 },
  )
  const known = models.flatMap(({ data }) => (data?.model as Partial<ThingModel> | null | undefined)?.properties ?? [])
  const properties = [...new Map(known.map(each => [each.identifier, each])).values()]
  return (
    <>
      <div className={css.field}>
        <label htmlFor={id}>{t('devices')}</label>
        <ManySelect
          kind="device"
          id={id}
          value={deviceIds}
          disabled={false}
          placeholder={t('devicesHint')}
          onChange={next => set({ ...source, deviceIds: next })}
        />
        <Complaint path="source.deviceIds" />
      </div>
      <div className={css.field}>
        <span>{t('properties')}</span>
        <Select
          aria-label={t('properties')}
          mode="tags"
          placeholder={t('propertiesHint')}
          value={source.properties ?? []}
          options={properties.map(each => ({ value: each.identifier, label: nameOf(each, locale() === 'en') }))}
          onChange={(next: string[]) => set({ ...source, properties: next })}
        />
        <Complaint path="source.properties" />
      </div>
      <div className={css.field}>
        <span>{t('interval')}</span>
        <Select
          aria-label={t('interval')}
          value={source.interval ?? null}
          options={REPORT_INTERVALS.map(value => ({ value, label: t(`intervals.${value}`) }))}
          onChange={(interval: (typeof REPORT_INTERVALS)[number]) => set({ ...source, interval })}
        />
        <Complaint path="source.interval" />
      </div>
      <div className={css.field}>
        <span>{t('functions')}</span>
        <Select
          aria-label={t('functions')}
          mode="multiple"
          value={source.functions ?? []}
          options={REPORT_FUNCTIONS.map(value => ({ value, label: t(`functionNames.${value}`) }))}
          onChange={(functions: (typeof REPORT_FUNCTIONS)[number][]) => set({ ...source, functions })}
        />
        <Complaint path="source.functions" />
      </div>
    </>
  )
}

function PageField({ draft, set }: Props) {
  const { t } = useTranslation('reports')
  const { source } = draft
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const pages = useRead(
    'cloudPages.list',
    { query: { limit: 50, state: 'published', ...(q === '' ? {} : { q }) } },
    { enabled: useMay('cloudPages.list'), keep: true },
  )
  return (
    <div className={css.field}>
      <span>{t('page')}</span>
      <Select
        aria-label={t('page')}
        placeholder={t('pageHint')}
        loading={pages.isFetching}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
        value={source.pageId ?? null}
        options={(pages.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(pageId: string) => {
          setTyped('')
          set({ kind: 'page', pageId })
        }}
      />
      <Complaint path="source.pageId" />
    </div>
  )
}
