import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Input, Skeleton } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call, type Query, type Reply } from '../../lib/api-client.ts'
import { every } from '../../lib/every.ts'
import { portalPath } from '../../lib/portal.ts'
import { useMade } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './portal.module.css'

const STEP = 20

/** Of a device: what is to be seen at once. */
export function linkOf(device: DeviceView): StatusKind {
  if (device.lifecycle === 'disabled') return 'disabled'
  return device.link === 'online' ? 'online' : device.lastSeenAt ? 'offline' : 'never'
}

/** The person's devices, those that are searched for, some more with every step. */
export function DevicesSection({ suffix }: { suffix: string }) {
  const { t } = useTranslation('portal')
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  const [steps, setSteps] = useState(1)
  useEffect(() => {
    const timer = setTimeout(() => {
      setQ(typed.trim())
      setSteps(1)
    }, 300)
    return () => clearTimeout(timer)
  }, [typed])
  const devices = useMade(
    'devices.list',
    { portal: true, q, steps },
    async ({ signal }) => {
      const items: DeviceView[] = []
      let cursor: string | null = null
      for (let n = 0; n < steps; n++) {
        const query: Query<'devices.list'> = { limit: STEP, ...(q ? { q } : {}), ...(cursor ? { cursor } : {}) }
        const reply: Reply<'devices.list'> = await call('devices.list', { query, signal })
        items.push(...reply.items)
        cursor = reply.nextCursor
        if (!cursor) break
      }
      return { items, more: cursor !== null }
    },
    { keep: true, refetchInterval: every(15_000) },
  )
  return (
    <section aria-labelledby="portal-devices">
      <div className={css.head}>
        <h1 id="portal-devices">{t('devices')}</h1>
        <Input.Search
          allowClear
          aria-label={t('search')}
          placeholder={t('search')}
          value={typed}
          maxLength={64}
          onChange={event => setTyped(event.target.value)}
          style={{ flex: '1 1 160px', maxWidth: 320 }}
        />
      </div>
      {devices.error ? (
        <ErrorState error={devices.error} onRetry={() => void devices.refetch()} />
      ) : !devices.data ? (
        <Skeleton active />
      ) : devices.data.items.length === 0 ? (
        q ? (
          <EmptyState onClear={() => setTyped('')} />
        ) : (
          <EmptyState title={t('noDevices')} description={t('noDevicesText')} />
        )
      ) : (
        <ul className={css.rows}>
          {devices.data.items.map(device => (
            <li key={device.id}>
              <Link to={portalPath(suffix, `/devices/${device.id}`)} className={css.row}>
                <span className={css.what}>
                  <b title={device.name} dir="auto">
                    {device.name}
                  </b>
                  <small>{device.deviceNo}</small>
                </span>
                <span className={css.value}>
                  <StatusTag kind={linkOf(device)}>{t(`link.${linkOf(device)}`)}</StatusTag>
                  {device.lastSeenAt && (
                    <small>
                      <TimeText value={device.lastSeenAt} />
                    </small>
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {devices.data?.more && (
        <div className={css.more}>
          <Button loading={devices.isFetching} onClick={() => setSteps(steps + 1)}>
            {t('more')}
          </Button>
        </div>
      )}
    </section>
  )
}
