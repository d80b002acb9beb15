import { Button, Checkbox, Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { may } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useSession } from '../../../lib/session.ts'
import { BatchBar } from '../../../ui/list-page/batch-bar.tsx'
import type { Box } from '../../../ui/map/projection.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { deviceAddress } from '../addresses.ts'
import { useDeviceBatches } from '../bulk/use-device-batches.tsx'
import { DEVICE_LISTS } from '../hooks.ts'
import css from './device-map.module.css'
import { withinOf } from './within.ts'

/** So many are listed, each with a box to leave it out; actions reach the others, too. */
const LISTED = 100
const REREAD_MS = 15_000

/** The devices in a box of the map, all of them chosen, with what the list of devices offers to do with many. */
export function BoxPanel({
  box,
  filters,
  onClose,
}: {
  box: Box
  filters: Record<string, string>
  onClose: () => void
}) {
  const { t } = useTranslation('device-map')
  const cache = useCache()
  const rights = useSession(s => s.me?.permissions)
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set())
  const narrowed = { ...filters, within: withinOf(box) }
  const { q = '', ...rest } = narrowed as Record<string, string>
  const read = useRead(
    'devices.list',
    { query: { ...narrowed, limit: LISTED, total: '1' as const } },
    { refetchInterval: every(REREAD_MS) },
  )
  const batches = useDeviceBatches(false, () => void cache.touch(...DEVICE_LISTS, 'deviceMap.cells'))
  const items = read.data?.items ?? []
  const total = read.data?.total ?? items.length
  const chosen = items.filter(({ id }) => !without.has(id))
  // With one of them left out only those that are listed are known to be meant.
  const everything = chosen.length === items.length
  const count = everything ? total : chosen.length
  const actions = batches.actions
    .filter(({ of }) => of === undefined || may(rights, of))
    .map(({ key, label, danger, onClick }) => ({
      key,
      label,
      danger: danger === true,
      onClick: () =>
        everything && total > items.length ? onClick(chosen, { q, filters: rest, count: total }) : onClick(chosen),
    }))
  const leave = (ids: readonly string[], out: boolean) =>
    setWithout(before => {
      const next = new Set(before)
      for (const id of ids) {
        if (out) next.add(id)
        else next.delete(id)
      }
      return next
    })
  const ids = items.map(({ id }) => id)
  return (
    <Drawer
      open
      mask={false}
      size={640}
      title={read.data ? t('inBox', { count: total, text: formatNumber(total) }) : t('boxTitle')}
      onClose={onClose}
      footer={
        count > 0 && (
          <BatchBar
            count={count}
            everything={
              everything
                ? null
                : { label: t('chooseAll', { text: formatNumber(total) }), onClick: () => leave(ids, false) }
            }
            actions={actions}
            pages={null}
            onCancel={() => leave(ids, true)}
          />
        )
      }
    >
      {read.isPending && <Skeleton active />}
      {read.isError && !read.data && <ErrorState error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && total === 0 && <EmptyState title={t('boxEmpty')} description={t('boxEmptyText')} />}
      {total > 0 && count === 0 && <Button onClick={() => leave(ids, false)}>{t('chooseAll', { text: total })}</Button>}
      {total > items.length && (
        <p className={css.muted}>
          {t(everything ? 'firstListed' : 'onlyListed', { listed: items.length, text: formatNumber(total) })}
        </p>
      )}
      <ul className={css.rows}>
        {items.map(device => (
          <li key={device.id}>
            <Checkbox
              checked={!without.has(device.id)}
              aria-label={t('chooseOne', { name: device.name })}
              onChange={event => leave([device.id], !event.target.checked)}
            />
            <span className={css.grow}>
              <Link to={deviceAddress(device.id)}>{device.name}</Link>{' '}
              <small className={css.muted}>{device.productName}</small>
            </span>
            <StatusTag kind={device.link}>{t(`links.${device.link}`)}</StatusTag>
          </li>
        ))}
      </ul>
      {batches.dialogs}
    </Drawer>
  )
}
