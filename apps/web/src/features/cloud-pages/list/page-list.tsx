import { PlusOutlined, UploadOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { PAGE_KINDS, PAGE_STATES, PAGE_VISIBILITIES } from '@thingwright/contracts/cloud-pages.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useUserFilter } from '../../../ui/user-filter.ts'
import css from '../cloud-pages.module.css'
import { editorAt, fetchPages, STATE_KIND } from '../hooks.ts'
import type { PageAsk } from './page-dialog.tsx'
import { useExport } from './use-export.ts'

const CreateDrawer = lazy(async () => ({ default: (await import('./create-drawer.tsx')).CreateDrawer }))
const FuxaDrawer = lazy(async () => ({ default: (await import('./fuxa-drawer.tsx')).FuxaDrawer }))
const SettingsDrawer = lazy(async () => ({ default: (await import('./settings-drawer.tsx')).SettingsDrawer }))
const LinksDrawer = lazy(async () => ({ default: (await import('./links-drawer.tsx')).LinksDrawer }))
const PageDialog = lazy(async () => ({ default: (await import('./page-dialog.tsx')).PageDialog }))

const keyOf = (row: PageView) => row.id
const hrefOf = (row: PageView) => editorAt(row.id)

type Open =
  | { kind: 'create' }
  | { kind: 'import' }
  | { kind: 'fuxa'; project: unknown; name: string }
  | { kind: 'copy'; row: PageView }
  | { kind: 'settings' | 'links'; row: PageView }

/** Every cloud page with its address, who sees it, and what visitors see now. */
export function PageList() {
  const { t } = useTranslation('cloud-pages')
  const mayWrite = useMay('cloudPages.update')
  const [open, setOpen] = useState<Open | null>(null)
  const [asking, setAsking] = useState<PageAsk | null>(null)
  const publish = useAct('cloudPages.publish', {
    done: page => notify.success(t('published', { name: page.name, no: page.publishedNo })),
  })
  const owner = useUserFilter()
  const filters = useMemo<ListFilter[]>(
    () => [
      ...owner,
      { key: 'state', label: t('state'), options: PAGE_STATES.map(value => ({ value, label: t(`states.${value}`) })) },
      {
        key: 'visibility',
        label: t('visibility'),
        options: PAGE_VISIBILITIES.map(value => ({ value, label: t(`visibilities.${value}`) })),
      },
      { key: 'kind', label: t('kind'), options: PAGE_KINDS.map(value => ({ value, label: t(`kinds.${value}`) })) },
    ],
    [t, owner],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<PageView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 220,
        required: true,
        sortKey: 'name',
        render: row => (
          <span className={css.name}>
            <Cover row={row} />
            <span className={css.names}>
              <span title={row.name}>{row.name}</span>
              <code>{`page/${row.suffix}`}</code>
            </span>
          </span>
        ),
        csv: row => row.name,
      },
      {
        key: 'state',
        title: t('state'),
        width: 136,
        required: true,
        render: row => (
          <StatusTag kind={STATE_KIND[row.state]} {...(row.changed ? { title: t('changedHelp') } : {})}>
            {t(`states.${row.state}`)}
            {row.changed && row.state === 'published' ? ` · ${t('changed')}` : ''}
          </StatusTag>
        ),
        csv: row => t(`states.${row.state}`),
      },
      {
        key: 'visibility',
        title: t('visibility'),
        width: 120,
        rank: 4,
        render: row => t(`visibilities.${row.visibility}`),
        csv: row => t(`visibilities.${row.visibility}`),
      },
      {
        key: 'control',
        title: t('control'),
        width: 120,
        rank: 2,
        render: row => t(`controls.${row.control}`),
        csv: row => t(`controls.${row.control}`),
      },
      {
        key: 'version',
        title: t('version'),
        width: 88,
        rank: 5,
        align: 'right',
        render: row => (row.publishedNo === null ? '–' : `v${row.publishedNo}`),
        csv: row => row.publishedNo ?? '',
      },
      {
        key: 'size',
        title: t('size'),
        width: 120,
        rank: 1,
        align: 'right',
        render: row => `${row.width} × ${row.height}`,
        csv: row => `${row.width} × ${row.height}`,
      },
      {
        key: 'views',
        title: t('views'),
        width: 96,
        rank: 3,
        align: 'right',
        sortKey: 'views',
        render: row => formatNumber(row.views),
        csv: row => row.views,
      },
      {
        key: 'owner',
        title: t('owner'),
        width: 112,
        rank: 0,
        render: row => personName(row.ownerName),
        csv: row => personName(row.ownerName, ''),
      },
      {
        key: 'updatedAt',
        title: t('updatedAt'),
        width: 128,
        sortKey: 'updatedAt',
        render: row => <TimeText value={row.updatedAt} />,
        csv: row => formatDateTime(row.updatedAt),
      },
    ],
    [t],
  )
  const exportPage = useExport()
  const { run: readPage } = useAct('cloudPages.get', { own: false, done: page => void exportPage(page) })
  const rowActions = useCallback(
    (row: PageView): RowAction[] => [
      { key: 'edit', label: mayWrite ? t('edit') : t('look'), to: editorAt(row.id) },
      ...(row.state === 'published'
        ? [
            {
              key: 'visit',
              label: t('visit'),
              onClick: () => void window.open(`/page/${row.suffix}`, '_blank', 'noopener'),
            },
          ]
        : []),
      ...(mayWrite
        ? [
            ...(row.state !== 'published' || row.changed
              ? [
                  {
                    key: 'publish',
                    label: t('publish'),
                    onClick: () => void publish.run({ params: { id: row.id }, body: {} }),
                  },
                ]
              : []),
            { key: 'settings', label: t('settings'), onClick: () => setOpen({ kind: 'settings', row }) },
            { key: 'links', label: t('links'), onClick: () => setOpen({ kind: 'links', row }) },
            { key: 'copy', label: t('copy'), onClick: () => setOpen({ kind: 'copy', row }) },
          ]
        : []),
      { key: 'export', label: t('exportPage'), onClick: () => void readPage({ params: { id: row.id } }) },
      ...(mayWrite
        ? [
            ...(row.state === 'published'
              ? [
                  {
                    key: 'withdraw',
                    label: t('withdraw'),
                    danger: true,
                    onClick: () => setAsking({ action: 'withdraw' as const, ids: [row.id], name: row.name }),
                  },
                ]
              : []),
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: () => setAsking({ action: 'remove', ids: [row.id], name: row.name }),
            },
          ]
        : []),
    ],
    [t, mayWrite, publish, readPage],
  )
  const batchActions = useMemo<BatchAction<PageView>[]>(
    () =>
      (['withdraw', 'remove'] as const).map(action => ({
        key: action,
        label: t(action),
        danger: true,
        of: 'cloudPages.batch',
        onClick: rows => setAsking({ action, ids: rows.map(keyOf) }),
      })),
    [t],
  )
  const create = (
    <PermissionGate of="cloudPages.create">
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ kind: 'create' })}>
        {t('create')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="cloud-pages"
        operation="cloudPages.list"
        fetchPage={fetchPages}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={
          <>
            <PermissionGate of="cloudPages.create">
              <Button icon={<UploadOutlined />} onClick={() => setOpen({ kind: 'import' })}>
                {t('import')}
              </Button>
            </PermissionGate>
            {create}
          </>
        }
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 184 : 168}
        batchActions={batchActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="cloud-pages"
        exportPath={API_PATHS['cloudPages.export'][1]}
      />
      <Suspense>
        {(open?.kind === 'create' || open?.kind === 'import' || open?.kind === 'copy') && (
          <CreateDrawer
            from={open.kind}
            copyOf={open.kind === 'copy' ? open.row : null}
            onProject={(project, name) => setOpen({ kind: 'fuxa', project, name })}
            onClose={() => setOpen(null)}
          />
        )}
        {open?.kind === 'fuxa' && <FuxaDrawer project={open.project} name={open.name} onClose={() => setOpen(null)} />}
        {open?.kind === 'settings' && <SettingsDrawer page={open.row} onClose={() => setOpen(null)} />}
        {open?.kind === 'links' && <LinksDrawer page={open.row} onClose={() => setOpen(null)} />}
        {asking && <PageDialog ask={asking} onClose={() => setAsking(null)} />}
      </Suspense>
    </>
  )
}

/** A small picture of the page; as a picture it can neither run nor load anything. */
function Cover({ row }: { row: PageView }) {
  return row.cover ? (
    <img className={css.cover} src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(row.cover)}`} alt="" />
  ) : (
    <span className={css.cover} aria-hidden />
  )
}
