import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { epochOf, formatDateTime, formatDuration } from '../../../lib/format.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Stack } from '../../../ui/panel.tsx'
import { NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { transportName } from '../../../ui/transport-words.ts'
import { AvailabilityStrip } from './availability-strip.tsx'
import { Feed } from './feed.tsx'
import { withLengths } from './lengths.ts'

type Row = Reply<'telemetry.connections'>['items'][number] & { lengthMs: number | null }

/** When the device came and went, why, and how long each state lasted. */
export function ConnectionsTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const mayRead = useMay('telemetry.connections')
  const params = { id: device.id }
  const reads = useLiveReads(
    [mayRead ? `device/${device.id}/state` : null],
    only('telemetry.connections', { params }),
    () => 'again',
  )
  const query = usePages(
    'telemetry.connections',
    { params, query: { limit: 50 } },
    { enabled: mayRead, through: reads.read },
  )
  const rows = useMemo<Row[]>(
    () =>
      withLengths(
        (query.data?.pages ?? []).flatMap(page => page.items),
        row => epochOf(row.at) ?? 0,
        serverNow(),
      ),
    [query.data],
  )
  const columns = useMemo<ListColumn<Row>[]>(
    () => [
      { key: 'at', title: t('time'), width: 200, render: row => formatDateTime(row.at, { millis: true }) },
      {
        key: 'kind',
        title: t('change'),
        width: 96,
        render: row => <StatusTag kind={row.kind}>{t(`link.${row.kind}`)}</StatusTag>,
      },
      {
        key: 'length',
        title: t('lasted'),
        width: 144,
        render: row => (row.lengthMs === null ? '–' : formatDuration(row.lengthMs)),
      },
      {
        key: 'reason',
        title: t('reason'),
        minWidth: 160,
        render: row =>
          row.reason ? (
            <span title={row.reason}>{t(`offlineReason.${row.reason}`, { defaultValue: row.reason })}</span>
          ) : (
            '–'
          ),
      },
      {
        key: 'transport',
        title: t('transport'),
        width: 128,
        render: row => (row.transport ? transportName(row.transport) : '–'),
      },
      { key: 'address', title: t('clientAddress'), width: 180, rank: 1, render: row => row.address ?? '–' },
    ],
    [t],
  )
  if (!mayRead) return <NoPermissionState of="telemetry.connections" />
  return (
    <Stack>
      <AvailabilityStrip device={device} />
      <Feed
        title={t('tabs.connections')}
        query={query}
        rows={rows}
        columns={columns}
        rowKey={row => row.id}
        empty={{ title: t('noConnections'), description: t('noConnectionsText') }}
        tools={
          <Button loading={query.isRefetching} onClick={() => void query.refetch()}>
            {t('refresh')}
          </Button>
        }
      />
    </Stack>
  )
}
