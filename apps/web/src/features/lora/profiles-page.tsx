import { PlusOutlined } from '@ant-design/icons'
import { LORA_CLASSES, LORA_CODECS, LORA_REGIONS } from '@thingwright/contracts/lora.words'
import type { LoraProfileItem } from '@thingwright/contracts/lora-profiles.contract'
import { Button, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { NameCell } from '../../ui/list-page/name-cell.tsx'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ConnectionsButton } from './connections-button.tsx'
import { fetchProfiles, PROFILES, useConnections } from './hooks.ts'
import css from './lora.module.css'

const RemoveDialog = lazy(async () => ({ default: (await import('./remove-dialog.tsx')).RemoveDialog }))
const keyOf = (row: LoraProfileItem) => row.id
const hrefOf = (row: LoraProfileItem) => `${PROFILES}/edit?id=${row.id}`

/** Device profiles of all connections. */
export function ProfilesPage() {
  const { t } = useTranslation('lora')
  const { items: connections, query } = useConnections()
  const mayWrite = useMay('loraProfiles.update')
  const [removing, setRemoving] = useState<LoraProfileItem | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'connectionId',
        label: t('connection.one'),
        options: connections.map(({ id, name }) => ({ value: id, label: name })),
        open: true,
      },
      { key: 'region', label: t('region.one'), options: LORA_REGIONS.map(value => ({ value, label: value })) },
      {
        key: 'class',
        label: t('profile.class'),
        options: LORA_CLASSES.map(value => ({ value, label: t(`profile.classes.${value}`) })),
      },
      {
        key: 'codec',
        label: t('profile.codec'),
        options: LORA_CODECS.map(value => ({ value, label: t(`profile.codecs.${value}`) })),
      },
    ],
    [t, connections],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<LoraProfileItem>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 220,
        required: true,
        sortKey: 'name',
        render: row => (
          <span className={css.nameCell}>
            <NameCell name={row.name} to={hrefOf(row)} />
            {row.simulated && <Tag>{t('simulated')}</Tag>}
            {row.shared && <Tag>{t('profile.shared')}</Tag>}
          </span>
        ),
      },
      { key: 'region', title: t('region.one'), width: 96, render: row => row.region },
      { key: 'mac', title: t('profile.macVersion'), width: 128, rank: 2, render: row => `LoRaWAN ${row.macVersion}` },
      {
        key: 'params',
        title: t('profile.regParamsRevision'),
        width: 136,
        rank: 1,
        render: row => row.regParamsRevision,
      },
      {
        key: 'join',
        title: t('profile.join'),
        width: 88,
        rank: 3,
        render: row => (row.supportsOtaa ? 'OTAA' : 'ABP'),
      },
      {
        key: 'class',
        title: t('profile.class'),
        width: 96,
        render: row => ['A', ...(row.supportsClassB ? ['B'] : []), ...(row.supportsClassC ? ['C'] : [])].join(' · '),
      },
      {
        key: 'codec',
        title: t('profile.codec'),
        width: 128,
        rank: 3,
        render: row => t(`profile.codecs.${row.codecRuntime}`),
      },
      {
        key: 'connection',
        title: t('connection.one'),
        width: 136,
        rank: 1,
        render: row => (
          <span className={css.cut} title={row.connectionName} dir="auto">
            {row.connectionName}
          </span>
        ),
      },
      {
        key: 'updatedAt',
        title: t('updatedAt'),
        width: 132,
        rank: 2,
        sortKey: 'updatedAt',
        render: row => <TimeText value={row.updatedAt} />,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: LoraProfileItem): RowAction[] => [
      { key: 'open', label: mayWrite && !row.shared ? t('edit') : t('open'), to: hrefOf(row) },
      ...(mayWrite
        ? [
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              disabled: row.shared,
              ...(row.shared ? { title: t('profile.sharedText') } : {}),
              onClick: () => setRemoving(row),
            },
          ]
        : []),
    ],
    [t, mayWrite],
  )
  const none = query.data !== undefined && connections.length === 0
  const add = (
    <PermissionGate of="loraProfiles.create">
      <Link to={`${PROFILES}/add`}>
        <Button type="primary" icon={<PlusOutlined aria-hidden />}>
          {t('profile.add')}
        </Button>
      </Link>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="lora-profiles"
        operation="loraProfiles.list"
        fetchPage={fetchProfiles}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('profile.search')}
        title={t('profile.title')}
        description={t('profile.lead')}
        actions={
          <>
            <ConnectionsButton />
            {add}
          </>
        }
        rowActions={rowActions}
        empty={
          none
            ? {
                title: t('connection.emptyTitle'),
                description: t('connection.emptyText'),
                action: <ConnectionsButton />,
              }
            : { title: t('profile.emptyTitle'), description: t('profile.emptyText'), action: add }
        }
        exportName="lora-profiles"
        exportPath="/api/v1/lora/profiles/export"
      />
      <Suspense>
        {removing && (
          <RemoveDialog
            of="loraProfiles.remove"
            id={removing.id}
            name={removing.name}
            onClose={() => setRemoving(null)}
          />
        )}
      </Suspense>
    </>
  )
}
