import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { ThingModel } from '@thingwright/thing-model/model'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { epochOf } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { useMay } from '../../../lib/permissions.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { StatusDot, type StatusKind } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { transportName } from '../../../ui/transport-words.ts'
import { RecentList } from './recent-list.tsx'

const SHOWN = 6
const KIND = { info: 'processing', warning: 'warning', error: 'error' } as const

type ThingEvent = Reply<'telemetry.events'>['items'][number]
type Connection = Reply<'telemetry.connections'>['items'][number]

export interface Happening {
  key: string
  at: number
  kind: StatusKind
  event?: ThingEvent
  connection?: Connection
}

/** Events and comings and goings in one list, newest first. */
export function happenings(events: readonly ThingEvent[], connections: readonly Connection[]): Happening[] {
  return [
    ...events.map((event): Happening => ({ key: `e-${event.id}`, at: event.ts, kind: KIND[event.level], event })),
    ...connections.map(
      (connection): Happening => ({
        key: `c-${connection.id}`,
        at: epochOf(connection.at) ?? 0,
        kind: connection.kind,
        connection,
      }),
    ),
  ].sort((a, b) => b.at - a.at)
}

/** What happened last: events of the device, and when it came and went. */
export function RecentEvents({ device, model }: { device: DeviceView; model: ThingModel }) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const params = { id: device.id }
  const mayConnections = useMay('telemetry.connections')
  const told = useLiveReads([`device/${device.id}/messages`], only('telemetry.events', { params }), event =>
    event.patch.kind === 'event' ? 'again' : undefined,
  )
  const linked = useLiveReads(
    [mayConnections ? `device/${device.id}/state` : null],
    only('telemetry.connections', { params }),
    () => 'again',
  )
  const query = { limit: SHOWN }
  const events = useRead('telemetry.events', { params, query }, { through: told.read })
  const connections = useRead(
    'telemetry.connections',
    { params, query },
    { enabled: mayConnections, through: linked.read },
  )
  const rows = happenings(events.data?.items ?? [], connections.data?.items ?? []).slice(0, SHOWN)
  const titleOf = ({ event, connection }: Happening) => {
    if (event) {
      const found = model.events.find(each => each.identifier === event.identifier)
      return found ? nameOf(found, english) : event.identifier
    }
    const reason = connection?.reason
      ? t(`offlineReason.${connection.reason}`, { defaultValue: connection.reason })
      : connection?.transport && transportName(connection.transport)
    return `${t(`overview.${connection?.kind === 'online' ? 'cameOnline' : 'wentOffline'}`)}${reason ? ` (${reason})` : ''}`
  }
  return (
    <RecentList
      title={t('overview.events')}
      tab="events"
      query={events}
      empty={t('overview.noEvents')}
      rows={rows.map(happening => ({
        key: happening.key,
        sign: <StatusDot kind={happening.kind} />,
        title: titleOf(happening),
        end: <TimeText value={happening.at} />,
      }))}
    />
  )
}
