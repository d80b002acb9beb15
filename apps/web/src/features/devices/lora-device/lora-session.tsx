import type { LoraSessionView } from '@thingwright/contracts/lora-links.contract'
import { Button, Modal, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useLoraDevice } from './use-lora-device.ts'

type Item = LoraSessionView['queue'][number]
const REFRESH_MS = 10_000

/** Session and queue of a device, as ChirpStack has them now; nothing before it was made there. */
export function LoraSession({ deviceId }: { deviceId: string }) {
  const { data: device } = useLoraDevice(deviceId)
  return device?.registeredAt ? <SessionPanel deviceId={deviceId} /> : null
}

function SessionPanel({ deviceId }: { deviceId: string }) {
  const { t } = useTranslation('lora-device')
  const query = useRead('loraLinks.session', { params: { id: deviceId } }, { refetchInterval: REFRESH_MS })
  const [asking, setAsking] = useState(false)
  const flush = useAct('loraLinks.flushQueue', {
    touches: ['loraLinks'],
    done: () => {
      notify.success(t('flushed'))
      setAsking(false)
    },
  })
  const columns = useMemo<ListColumn<Item>[]>(
    () => [
      { key: 'port', title: 'fPort', width: 80, render: item => item.port },
      { key: 'hex', title: t('payload'), minWidth: 160, render: item => <CopyId value={item.hex || '–'} /> },
      {
        key: 'confirmed',
        title: t('confirmed'),
        width: 110,
        rank: 2,
        render: item => t(item.confirmed ? 'yes' : 'no'),
      },
      { key: 'pending', title: t('state'), width: 130, render: item => t(item.pending ? 'sent' : 'waiting') },
      {
        key: 'expiresAt',
        title: t('expires'),
        width: 170,
        rank: 1,
        render: item => (item.expiresAt ? <TimeText value={item.expiresAt} /> : '–'),
      },
    ],
    [t],
  )
  const data = query.data
  return (
    <Panel
      title={t('session')}
      hint={t('sessionHint')}
      actions={
        data &&
        data.queue.length > 0 && (
          <PermissionGate of="loraLinks.flushQueue">
            <Button danger onClick={() => setAsking(true)}>
              {t('flush')}
            </Button>
          </PermissionGate>
        )
      }
    >
      {query.isError && !data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        <>
          {data.session ? (
            <Facts
              items={[
                { label: 'DevAddr', value: <CopyId value={data.session.devAddr} /> },
                { label: t('fCntUp'), value: formatNumber(data.session.fCntUp) },
                { label: t('nFCntDown'), value: formatNumber(data.session.nFCntDown) },
                { label: t('aFCntDown'), value: formatNumber(data.session.aFCntDown) },
              ]}
            />
          ) : (
            <p>{t('notJoined')}</p>
          )}
          {data.queue.length === 0 ? (
            <EmptyState title={t('queueEmpty')} description={t('queueEmptyText')} />
          ) : (
            <DataTable
              label={t('queue')}
              columns={columns}
              rows={data.queue}
              rowKey={item => item.id}
              density="dense"
            />
          )}
        </>
      )}
      <Modal
        open={asking}
        width={420}
        title={t('flushTitle')}
        okText={t('flush')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: flush.pending }}
        onOk={() => void flush.run({ params: { id: deviceId } })}
        onCancel={() => setAsking(false)}
      >
        <p>{t('flushText')}</p>
      </Modal>
    </Panel>
  )
}
