import { PlusOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import { CONNECTION_STATES } from '@thingwright/contracts/sim-cards.words'
import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { TELECOM_PLATFORMS } from '@thingwright/contracts/telecom.words'
import { Button, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchKeys, STATE_KIND, saidText } from './hooks.ts'
import css from './telecom.module.css'
import { useVerify } from './use-verify.ts'

const KeyDrawer = lazy(async () => ({ default: (await import('./key-drawer.tsx')).KeyDrawer }))
const KeyForm = lazy(async () => ({ default: (await import('./key-form.tsx')).KeyForm }))
const RotateDrawer = lazy(async () => ({ default: (await import('./rotate-drawer.tsx')).RotateDrawer }))
const RemoveKey = lazy(async () => ({ default: (await import('./key-dialogs.tsx')).RemoveKey }))

const keyOf = (row: TelecomKeyView) => row.id
type Open = { kind: 'form'; key: TelecomKeyView | null } | { kind: 'rotate' | 'remove'; key: TelecomKeyView }

/** Keys of NB-IoT platforms: which there are, whether they are let in, and what uses them. */
export function KeysPage() {
  const { t } = useTranslation('telecom')
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('telecom.update')
  const verify = useVerify()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'platform',
        label: t('platform'),
        options: TELECOM_PLATFORMS.map(value => ({ value, label: t(`platforms.${value}`) })),
      },
      {
        key: 'state',
        label: t('state'),
        options: CONNECTION_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const show = useCallback(
    (id: string | null) =>
      setParams(now => {
        const next = new URLSearchParams(now)
        if (id === null) next.delete('key')
        else next.set('key', id)
        return next
      }),
    [setParams],
  )
  const columns = useMemo<ListColumn<TelecomKeyView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 168,
        required: true,
        sortKey: 'name',
        render: row => (
          <span className={css.twoLines}>
            <span dir="auto">
              <button type="button" className={css.link} onClick={() => show(row.id)}>
                {row.name}
              </button>
              {row.simulated && <Tag className={css.tag ?? ''}>{t('simulated')}</Tag>}
            </span>
            {row.remark && <small title={row.remark}>{row.remark}</small>}
          </span>
        ),
        csv: row => row.name,
      },
      {
        key: 'platform',
        title: t('platform'),
        width: 112,
        required: true,
        render: row => t(`platforms.${row.platform}`),
        csv: row => t(`platforms.${row.platform}`),
      },
      {
        key: 'state',
        title: t('state'),
        minWidth: 176,
        required: true,
        render: row => (
          <span className={css.twoLines}>
            <StatusTag kind={STATE_KIND[row.state]}>{t(`states.${row.state}`)}</StatusTag>
            {row.fault && <small title={saidText(row)}>{saidText(row)}</small>}
          </span>
        ),
        csv: row => t(`states.${row.state}`),
      },
      {
        key: 'products',
        title: t('usedBy'),
        minWidth: 144,
        rank: 4,
        render: row =>
          row.products.length === 0 ? (
            '–'
          ) : (
            <span className={css.twoLines} title={row.products.map(({ name }) => name).join(', ')}>
              <span dir="auto">{row.products.map(({ name }) => name).join(', ')}</span>
              <small>{t('deviceCount', { count: row.devices, many: formatNumber(row.devices) })}</small>
            </span>
          ),
        csv: row => row.products.map(({ name }) => name).join(', '),
      },
      {
        key: 'account',
        title: t('account'),
        width: 152,
        rank: 3,
        render: row => <code title={row.account}>{row.account}</code>,
        csv: row => row.account,
      },
      {
        key: 'refused',
        title: t('refused'),
        width: 112,
        align: 'right',
        rank: 2,
        render: row => formatNumber(row.refused),
        csv: row => row.refused,
      },
      {
        key: 'lastCallbackAt',
        title: t('lastCallback'),
        width: 132,
        rank: 1,
        render: row => (row.lastCallbackAt ? <TimeText value={row.lastCallbackAt} /> : t('never')),
        csv: row => (row.lastCallbackAt ? formatDateTime(row.lastCallbackAt) : ''),
      },
      {
        key: 'verifiedAt',
        title: t('verified'),
        width: 132,
        initiallyHidden: true,
        render: row => (row.verifiedAt ? <TimeText value={row.verifiedAt} /> : t('never')),
        csv: row => (row.verifiedAt ? formatDateTime(row.verifiedAt) : ''),
      },
      {
        key: 'createdAt',
        title: t('created'),
        width: 132,
        initiallyHidden: true,
        sortKey: 'createdAt',
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t, show],
  )
  const rowActions = useCallback(
    (row: TelecomKeyView): RowAction[] => [
      { key: 'open', label: t('open'), onClick: () => show(row.id) },
      ...(mayWrite
        ? [
            {
              key: 'verify',
              label: t('verify'),
              disabled: row.state === 'disabled',
              onClick: () => void verify.run({ params: { id: row.id } }),
            },
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'form', key: row }) },
            {
              key: 'rotate',
              label: t('rotate'),
              disabled: row.state === 'disabled',
              onClick: () => setOpen({ kind: 'rotate', key: row }),
            },
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              disabled: row.products.length > 0,
              ...(row.products.length > 0 ? { title: t('inUse') } : {}),
              onClick: () => setOpen({ kind: 'remove', key: row }),
            },
          ]
        : []),
    ],
    [t, show, mayWrite, verify],
  )
  const add = (
    <PermissionGate of="telecom.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'form', key: null })}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  const shown = params.get('key')
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="telecom-keys"
        operation="telecom.list"
        fetchPage={fetchKeys}
        rowKey={keyOf}
        rowHref={row => `/manage/tel?key=${row.id}`}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={add}
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: add }}
        exportName="telecom-keys"
        exportPath={API_PATHS['telecom.export'][1]}
      />
      <Suspense>
        {shown !== null && (
          <KeyDrawer id={shown} onEdit={key => setOpen({ kind: 'form', key })} onClose={() => show(null)} />
        )}
        {open?.kind === 'form' && (
          <KeyForm telecomKey={open.key} onSaved={open.key === null ? show : undefined} onClose={close} />
        )}
        {open?.kind === 'rotate' && <RotateDrawer telecomKey={open.key} onClose={close} />}
        {open?.kind === 'remove' && <RemoveKey telecomKey={open.key} onClose={close} />}
      </Suspense>
    </>
  )
}
