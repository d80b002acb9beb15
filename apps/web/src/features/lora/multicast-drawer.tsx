import { PlusOutlined } from '@ant-design/icons'
import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import type { LoraMulticastItem } from '@thingwright/contracts/lora-multicast.contract'
import { Button, Drawer, Select, Skeleton } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { DataTable } from '../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../ui/list-page/list-types.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import css from './lora.module.css'
import { MulticastGroup } from './multicast-group.tsx'

const MulticastForm = lazy(async () => ({ default: (await import('./multicast-form.tsx')).MulticastForm }))

/** Multicast groups of a ChirpStack: the list, and one of them with its devices and its queue. */
export function MulticastDrawer({
  connections,
  onClose,
}: {
  connections: readonly LoraConnectionView[]
  onClose: () => void
}) {
  const { t } = useTranslation('lora')
  const [connectionId, setConnectionId] = useState(connections[0]!.id)
  const [open, setOpen] = useState<string | null>(null)
  const [adding, setAdding] = useState(false)
  const query = useRead('loraMulticast.list', { params: { id: connectionId } }, { enabled: open === null })
  const columns = useMemo<ListColumn<LoraMulticastItem>[]>(
    () => [
      {
        key: 'name',
        title: t('multicast.name'),
        minWidth: 160,
        required: true,
        render: group => (
          <Button type="link" onClick={() => setOpen(group.groupId)}>
            <span dir="auto">{group.name}</span>
          </Button>
        ),
      },
      { key: 'type', title: t('multicast.type'), width: 90, render: group => t(`multicast.types.${group.type}`) },
      { key: 'region', title: t('multicast.region'), width: 100, rank: 2, render: group => group.region },
      {
        key: 'application',
        title: t('multicast.application'),
        width: 140,
        rank: 1,
        render: group => <span dir="auto">{group.applicationName}</span>,
      },
    ],
    [t],
  )
  const add = (
    <PermissionGate of="loraMulticast.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding(true)}>
        {t('multicast.add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <Drawer
        open
        size={640}
        title={t('multicast.title')}
        onClose={onClose}
        footer={open === null && <div className={css.foot}>{add}</div>}
      >
        <div className={css.stack}>
          <p className={css.quiet}>{t('multicast.lead')}</p>
          {connections.length > 1 && (
            <Select
              aria-label={t('connection.one')}
              value={connectionId}
              options={connections.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={id => {
                setConnectionId(id)
                setOpen(null)
              }}
            />
          )}
          {open !== null ? (
            <MulticastGroup connectionId={connectionId} groupId={open} onBack={() => setOpen(null)} />
          ) : query.isError && !query.data ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : !query.data ? (
            <Skeleton active />
          ) : query.data.items.length === 0 ? (
            <EmptyState title={t('multicast.emptyTitle')} description={t('multicast.emptyText')} />
          ) : (
            <DataTable
              label={t('multicast.title')}
              columns={columns}
              rows={query.data.items}
              rowKey={group => group.groupId}
            />
          )}
        </div>
      </Drawer>
      <Suspense>
        {adding && (
          <MulticastForm
            connectionId={connectionId}
            onMade={group => {
              setAdding(false)
              setOpen(group)
            }}
            onClose={() => setAdding(false)}
          />
        )}
      </Suspense>
    </>
  )
}
