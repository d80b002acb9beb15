import { PlusOutlined } from '@ant-design/icons'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Badge, Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { modelOf } from '../hooks.ts'
import { changesAgainst } from '../model/model-changes.ts'
import {
  duplicateFeature,
  FEATURE_LISTS,
  type FeatureList,
  moveFeature,
  putFeature,
  removeFeature,
} from '../model/model-edit.ts'
import { useModelDraft } from '../model/use-model-draft.ts'
import css from '../products.module.css'
import { ChangeList } from './change-list.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FeatureTable } from './feature-table.tsx'
import { ModelProblems } from './model-problems.tsx'
import { PublishDrawer } from './publish-drawer.tsx'

const FeatureDrawer = lazy(async () => ({ default: (await import('./feature-drawer.tsx')).FeatureDrawer }))
const QuickDrawer = lazy(async () => ({ default: (await import('./quick-drawer.tsx')).QuickDrawer }))
const ImportDrawer = lazy(async () => ({ default: (await import('./import-drawer.tsx')).ImportDrawer }))
const BulkEditDrawer = lazy(async () => ({ default: (await import('./bulk-edit-drawer.tsx')).BulkEditDrawer }))
const OrderDrawer = lazy(async () => ({ default: (await import('./order-drawer.tsx')).OrderDrawer }))
const ModelVersions = lazy(async () => ({ default: (await import('./model-versions.tsx')).ModelVersions }))
const ModelPreview = lazy(async () => ({ default: (await import('./model-preview.tsx')).ModelPreview }))
const ModelJson = lazy(async () => ({ default: (await import('./model-json.tsx')).ModelJson }))

type TabKey = FeatureList | 'changes' | 'versions' | 'preview' | 'json'
const TABS: readonly TabKey[] = [...FEATURE_LISTS, 'changes', 'versions', 'preview', 'json']

/** The thing model of a product: a draft that is saved as often as one likes and reaches devices when published. */
export function ModelEditor({ product }: { product: ProductDetail }) {
  const { t } = useTranslation('products')
  const [params, setParams] = useSearchParams()
  const asked = params.get('tab') as TabKey
  const tab = TABS.includes(asked) ? asked : 'properties'
  const editable = useMay('products.setThingModel')
  const draft = useModelDraft(product)
  const { model, setModel } = draft
  const guard = useUnsavedGuard(draft.dirty)
  const [open, setOpen] = useState<
    { list: FeatureList; index: number | null } | 'quick' | 'import' | 'bulk' | 'order' | null
  >(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [publishing, setPublishing] = useState(params.get('publish') === '1' && editable)
  const published = useMemo(
    () => (product.publishedModel ? modelOf(product.publishedModel) : null),
    [product.publishedModel],
  )
  const { changes, marks, breaking } = useMemo(() => changesAgainst(published, model), [published, model])
  const set = (change: Record<string, string | null>) =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        for (const [key, value] of Object.entries(change)) {
          if (value === null) next.delete(key)
          else next.set(key, value)
        }
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  const list: FeatureList = tab === 'events' || tab === 'services' ? tab : 'properties'
  const onEdit = useCallback((index: number) => setOpen({ list, index }), [list])
  const onDuplicate = useCallback((at: number) => setModel(m => duplicateFeature(m, list, at)), [list, setModel])
  const onMove = useCallback((at: number, by: -1 | 1) => setModel(m => moveFeature(m, list, at, by)), [list, setModel])
  const onRemove = useCallback((at: number) => setModel(m => removeFeature(m, list, at)), [list, setModel])
  const save = async () => {
    const saved = await draft.save()
    if (saved) notify.success(t('draftSaved'))
    return saved
  }
  const publish = async () => {
    if (draft.dirty && !(await draft.save())) return
    setPublishing(true)
  }
  const selection = useMemo(
    () => ({
      chosen,
      toggle: (identifiers: readonly string[], on: boolean) =>
        setChosen(now => {
          const next = new Set(now)
          for (const identifier of identifiers) {
            if (on) next.add(identifier)
            else next.delete(identifier)
          }
          return next
        }),
    }),
    [chosen],
  )
  const present = useMemo(
    () => model.properties.map(property => property.identifier).filter(identifier => chosen.has(identifier)),
    [model.properties, chosen],
  )
  const add = editable && (
    <>
      {model[list].length > 1 && <Button onClick={() => setOpen('order')}>{t('order.open')}</Button>}
      {list === 'properties' && <Button onClick={() => setOpen('quick')}>{t('quick.open')}</Button>}
      <Button icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ list, index: null })}>
        {t(`addOf.${list}`)}
      </Button>
    </>
  )
  const canPublish = product.modelChanged || draft.dirty || product.status !== 'published'
  return (
    <div>
      <Panel
        title={t('thingModel')}
        hint={t('thingModelHint')}
        flush
        actions={
          <>
            {editable && <Button onClick={() => setOpen('import')}>{t('import.open')}</Button>}
            <ExportMenu productId={product.id} productKey={product.productKey} model={model} />
            {editable && (
              <Button type="primary" disabled={!canPublish || draft.busy} onClick={() => void publish()}>
                {t('publishModel')}
              </Button>
            )}
          </>
        }
      >
        <TabBar
          label={t('thingModel')}
          active={tab}
          onChange={key => set({ tab: key === 'properties' ? null : key })}
          items={[
            ...FEATURE_LISTS.map(key => ({
              key,
              label: t('listCount', { name: t(`lists.${key}`), count: model[key].length }),
            })),
            {
              key: 'changes',
              label: (
                <Badge count={changes.length} size="small" offset={[10, 0]} color={breaking > 0 ? 'red' : 'blue'}>
                  <span className={css.tabText}>{t('changesTab')}</span>
                </Badge>
              ),
            },
            { key: 'versions', label: t('versionsTab') },
            { key: 'preview', label: t('previewTab') },
            { key: 'json', label: 'JSON' },
          ]}
        />
        {draft.problems.length > 0 && (
          <div className={css.inset}>
            <ModelProblems problems={draft.problems} />
          </div>
        )}
        {draft.failure !== null && (
          <div className={css.inset}>
            <FormAlert error={draft.failure} />
            {draft.conflict && (
              <p className={css.conflict}>
                {t('conflictText')}{' '}
                <Button size="small" onClick={draft.discard}>
                  {t('takeTheirs')}
                </Button>{' '}
                <Button size="small" danger onClick={() => void draft.save(true)}>
                  {t('keepMine')}
                </Button>
              </p>
            )}
          </div>
        )}
        {tab === 'versions' ? (
          <Suspense>
            <ModelVersions product={product} editable={editable} />
          </Suspense>
        ) : tab === 'preview' ? (
          <Suspense>
            <ModelPreview model={model} />
          </Suspense>
        ) : tab === 'json' ? (
          <Suspense>
            <ModelJson
              model={model}
              name={`${product.productKey}-model`}
              editable={editable}
              onChange={next => setModel(() => next)}
            />
          </Suspense>
        ) : tab === 'changes' ? (
          <div className={css.inset}>
            {published === null && <p className={css.lead}>{t('neverPublished')}</p>}
            {changes.length === 0 ? (
              <EmptyState title={t('noChanges')} />
            ) : (
              <ChangeList
                changes={changes.map(change => ({
                  of: change.kind,
                  kind: change.change,
                  identifier: change.identifier,
                  attributes: change.attributes,
                  breaking: published ? change.breaking : [],
                }))}
              />
            )}
          </div>
        ) : model[list].length === 0 ? (
          <EmptyState title={t(`emptyOf.${list}`)} description={t(`emptyOfText.${list}`)} action={add || undefined} />
        ) : (
          <FeatureTable
            list={list}
            model={model}
            marks={marks}
            editable={editable}
            tools={add || null}
            onEdit={onEdit}
            onDuplicate={onDuplicate}
            onMove={onMove}
            onRemove={onRemove}
            {...(editable && list === 'properties' ? { selection } : {})}
          />
        )}
        <Suspense>
          {open === 'import' && (
            <ImportDrawer
              productId={product.id}
              model={model}
              onClose={() => setOpen(null)}
              onDone={next => {
                setModel(() => next)
                setOpen(null)
                notify.success(t('import.taken'))
              }}
            />
          )}
          {open === 'bulk' && (
            <BulkEditDrawer
              model={model}
              identifiers={present}
              onClose={() => setOpen(null)}
              onDone={next => {
                setModel(() => next)
                setChosen(new Set())
                setOpen(null)
              }}
            />
          )}
          {open === 'order' && (
            <OrderDrawer
              title={t('order.title', { name: t(`lists.${list}`) })}
              items={model[list]}
              onClose={() => setOpen(null)}
              onDone={items => {
                setModel(m => ({ ...m, [list]: items }))
                setOpen(null)
              }}
            />
          )}
          {open !== null && typeof open === 'object' && (
            <FeatureDrawer
              list={open.list}
              index={open.index}
              model={model}
              onClose={() => setOpen(null)}
              onDone={item => {
                setModel(m => putFeature(m, open.list, open.index, item))
                setOpen(null)
              }}
            />
          )}
          {open === 'quick' && (
            <QuickDrawer
              taken={model.properties.map(property => property.identifier)}
              onClose={() => setOpen(null)}
              onDone={properties => {
                setModel(m => ({ ...m, properties: [...m.properties, ...properties] }))
                setOpen(null)
              }}
            />
          )}
        </Suspense>
        {publishing && (
          <PublishDrawer
            product={product}
            onClose={() => {
              setPublishing(false)
              set({ publish: null })
            }}
          />
        )}
        {guard.dialog}
      </Panel>
      <div className={css.bars}>
        {tab === 'properties' && present.length > 0 && (
          <div className={css.bulkBar} role="status">
            <span>{t('bulk.chosen', { count: present.length })}</span>
            <Button onClick={() => setChosen(new Set())}>{t('bulk.clear')}</Button>
            <Button
              danger
              onClick={() => {
                const gone = new Set(present)
                setModel(m => ({ ...m, properties: m.properties.filter(property => !gone.has(property.identifier)) }))
                setChosen(new Set())
              }}
            >
              {t('remove')}
            </Button>
            <Button type="primary" onClick={() => setOpen('bulk')}>
              {t('bulk.edit')}
            </Button>
          </div>
        )}
        {draft.dirty && (
          <div className={css.saveBar} role="status">
            <span>{t('unsaved')}</span>
            <Button onClick={draft.discard}>{t('discard')}</Button>
            <Button
              type="primary"
              loading={draft.busy}
              disabled={draft.problems.length > 0}
              onClick={() => void save()}
            >
              {t('saveDraft')}
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}
