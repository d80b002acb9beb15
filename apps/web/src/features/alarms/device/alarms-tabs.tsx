import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { Button, DatePicker, Modal, Segmented } from 'antd'
import { lazy, Suspense, useId, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DeviceTabProps } from '../../../lib/device-tabs.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import type { ProductTabProps } from '../../../lib/product-tabs.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { useNow } from '../../../ui/ticker.ts'
import css from '../alarms.module.css'
import { useAlarmsLive } from '../hooks.ts'
import { alarmColumns } from '../list/alarm-columns.tsx'
import { useAcknowledge } from '../use-acknowledge.ts'
import { useAlarmParam } from '../use-alarm-param.ts'

const AlarmDrawer = lazy(async () => ({ default: (await import('../drawer/alarm-drawer.tsx')).AlarmDrawer }))

const keyOf = (row: AlarmView) => row.id
const PAGE = 50

/** Alarms of one device, active ones or all, and whether it is in maintenance. */
export function DeviceAlarmsTab({ deviceId }: DeviceTabProps) {
  return (
    <Stack>
      <Maintenance deviceId={deviceId} />
      <AlarmsPanel about={{ deviceId }} />
    </Stack>
  )
}

/** Alarms of a product's devices, active ones or all. */
export function ProductAlarmsTab({ productId }: ProductTabProps) {
  return <AlarmsPanel about={{ productId }} />
}

function AlarmsPanel({ about }: { about: { deviceId: string } | { productId: string } }) {
  const { t } = useTranslation('alarms')
  const ofDevice = 'deviceId' in about
  const [which, setWhich] = useState<'active' | 'all'>('active')
  const allowed = useMay('alarms.list')
  const mayAck = useMay('alarms.ack')
  const levels = useAlarmLevels()
  const now = useNow()
  const { shown, hrefOf, close } = useAlarmParam()
  const acknowledge = useAcknowledge()
  const query = usePages(
    'alarms.list',
    { query: { ...about, limit: PAGE, ...(which === 'active' ? { active: '1' as const } : {}) } },
    { enabled: allowed },
  )
  useAlarmsLive()
  const columns = useMemo(
    () =>
      alarmColumns(t, levels, hrefOf, now, ofDevice ? 'device' : 'company').filter(column => !column.initiallyHidden),
    [t, levels, hrefOf, now, ofDevice],
  )
  const rows = query.data?.pages.flatMap(page => page.items) ?? []
  if (!allowed) return <NoPermissionState of="alarms.list" />
  return (
    <>
      <Panel
        title={t('title')}
        flush
        actions={
          <Segmented
            aria-label={t('which')}
            value={which}
            options={[
              { value: 'active', label: t('tab.active') },
              { value: 'all', label: t('all') },
            ]}
            onChange={setWhich}
          />
        }
      >
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.isPending && rows.length === 0 ? (
          <EmptyState
            title={t(which === 'active' ? 'noActive' : 'noneOfDevice')}
            description={t(ofDevice ? 'noActiveDevice' : 'noActiveText')}
          />
        ) : (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={rows}
            rowKey={keyOf}
            actions={row => [
              ...(mayAck && !row.acknowledged
                ? [{ key: 'ack', label: t('act.ack'), onClick: () => acknowledge([row.id]) }]
                : []),
              { key: 'open', label: t('open'), to: hrefOf(row) },
            ]}
            skeleton={query.isPending ? 5 : 0}
          />
        )}
        {query.hasNextPage && (
          <div className={css.moreRow}>
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('loadMore')}
            </Button>
          </div>
        )}
      </Panel>
      <Suspense>{shown !== '' && <AlarmDrawer key={shown} id={shown} onClose={close} />}</Suspense>
    </>
  )
}

/** In maintenance a device's alarms are kept and marked, and nobody is told. */
function Maintenance({ deviceId }: { deviceId: string }) {
  const { t } = useTranslation('alarms')
  const read = useRead('alarms.maintenance', { params: { id: deviceId } }, { enabled: useMay('alarms.maintenance') })
  const maySet = useMay('alarms.setMaintenance')
  const [asking, setAsking] = useState(false)
  const [until, setUntil] = useState<number | null>(null)
  const dateId = useId()
  const set = useAct('alarms.setMaintenance', {
    done: reply => {
      setAsking(false)
      notify.success(t(reply.until ? 'maintenance.begun' : 'maintenance.ended'))
    },
  })
  if (!read.data) return null
  const current = read.data.until
  if (current === null && !maySet) return null
  const params = { id: deviceId }
  return (
    <div className={css.maintenance} data-on={current !== null}>
      <span>
        {current === null
          ? t('maintenance.off')
          : t('maintenance.on', { name: read.data.byName ?? '–', time: formatDateTime(current) })}
      </span>
      {maySet &&
        (current === null ? (
          <Button size="small" onClick={() => setAsking(true)}>
            {t('maintenance.begin')}
          </Button>
        ) : (
          <Button size="small" loading={set.pending} onClick={() => void set.run({ params, body: { until: null } })}>
            {t('maintenance.end')}
          </Button>
        ))}
      {asking && (
        <Modal
          open
          width={480}
          title={t('maintenance.begin')}
          okText={t('maintenance.begin')}
          cancelText={t('cancel')}
          okButtonProps={{ disabled: until === null || until <= serverNow(), loading: set.pending }}
          onOk={() => until !== null && void set.run({ params, body: { until: new Date(until).toISOString() } })}
          onCancel={() => setAsking(false)}
        >
          <div className={css.dialog}>
            <p>{t('maintenance.text')}</p>
            <div className={css.field}>
              <label htmlFor={dateId}>{t('maintenance.until')}</label>
              <DatePicker id={dateId} showTime onChange={value => setUntil(value === null ? null : value.valueOf())} />
            </div>
          </div>
        </Modal>
      )}
    </div>
  )
}
