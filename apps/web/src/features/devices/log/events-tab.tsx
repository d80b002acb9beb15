import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Drawer, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { useMay } from '../../../lib/permissions.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../devices.module.css'
import { useThingModel } from '../hooks.ts'
import { Feed } from './feed.tsx'

type ThingEventRow = Reply<'telemetry.events'>['items'][number]
const KIND = { info: 'processing', warning: 'warning', error: 'error' } as const

/** Events that the device announced; a new one appears by itself. */
export function EventsTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const mayRead = useMay('telemetry.events')
  const { model } = useThingModel(device.productId)
  const [params, setParams] = useSearchParams()
  const identifier = params.get('event') ?? ''
  const [shown, setShown] = useState<ThingEventRow | null>(null)
  const reads = useLiveReads(
    [mayRead ? `device/${device.id}/messages` : null],
    only('telemetry.events', { params: { id: device.id } }),
    event => (event.patch.kind === 'event' ? 'again' : undefined),
  )
  const query = usePages(
    'telemetry.events',
    { params: { id: device.id }, query: { limit: 50, ...(identifier === '' ? {} : { identifier }) } },
    { enabled: mayRead, through: reads.read },
  )
  const columns = useMemo<ListColumn<ThingEventRow>[]>(() => {
    const titleOf = (row: ThingEventRow) => {
      const found = model?.events.find(event => event.identifier === row.identifier)
      return found ? nameOf(found, english) : row.identifier
    }
    return [
      { key: 'ts', title: t('time'), width: 200, render: row => formatDateTime(row.ts, { millis: true }) },
      {
        key: 'level',
        title: t('level'),
        width: 96,
        render: row => <StatusTag kind={KIND[row.level]}>{t(`eventLevel.${row.level}`)}</StatusTag>,
      },
      {
        key: 'event',
        title: t('event'),
        width: 220,
        render: row => <span title={`${titleOf(row)} · ${row.identifier}`}>{titleOf(row)}</span>,
      },
      {
        key: 'params',
        title: t('params'),
        minWidth: 200,
        rank: 1,
        render: row => (
          <code className={css.mono} title={JSON.stringify(row.params)}>
            {JSON.stringify(row.params)}
          </code>
        ),
      },
    ]
  }, [t, model, english])
  if (!mayRead) return <NoPermissionState of="telemetry.events" />
  return (
    <>
      <Feed
        title={t('tabs.events')}
        query={query}
        rows={(query.data?.pages ?? []).flatMap(page => page.items)}
        columns={columns}
        rowKey={row => row.id}
        actions={row => [{ key: 'show', label: t('details'), onClick: () => setShown(row) }]}
        empty={{ title: t('noEvents'), description: t('noEventsText') }}
        tools={
          <>
            <Select
              allowClear
              aria-label={t('event')}
              placeholder={t('event')}
              style={{ minWidth: 160 }}
              value={identifier || null}
              options={(model?.events ?? []).map(event => ({ value: event.identifier, label: nameOf(event, english) }))}
              onChange={(next: string | null | undefined) =>
                setParams(
                  before => {
                    const changed = new URLSearchParams(before)
                    if (next) changed.set('event', next)
                    else changed.delete('event')
                    return changed
                  },
                  { replace: true, preventScrollReset: true },
                )
              }
            />
            <Button loading={query.isRefetching} onClick={() => void query.refetch()}>
              {t('refresh')}
            </Button>
          </>
        }
      />
      {shown && (
        <Drawer
          open
          size={480}
          title={`${shown.identifier} · ${formatDateTime(shown.ts)}`}
          onClose={() => setShown(null)}
        >
          <pre className={css.jsonBox} dir="ltr">
            {JSON.stringify(shown.params, null, 2)}
          </pre>
        </Drawer>
      )}
    </>
  )
}
