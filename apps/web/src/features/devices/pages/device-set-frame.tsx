import { NOT_TRANSFERABLE } from '@thingwright/contracts/company-transfers.words'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Outlet, useNavigate } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DetailFrame } from '../../../ui/detail-frame.tsx'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { DEVICE_CENTER, DEVICE_LINK, DEVICE_LIST, OFFER_TO_COMPANY, productAddress } from '../addresses.ts'
import type { DeviceQuestion } from '../components/device-dialogs.tsx'
import { LifecycleTag, LinkTag } from '../components/device-state.tsx'
import css from '../devices.module.css'
import { patchDevice, statePatch, useDevice, useDeviceChanged, useDeviceId } from '../hooks.ts'

const EditDeviceDrawer = lazy(async () => ({
  default: (await import('../components/edit-device-drawer.tsx')).EditDeviceDrawer,
}))
const DeviceDialog = lazy(async () => ({ default: (await import('../components/device-dialogs.tsx')).DeviceDialog }))

/** Head and tabs of one device's pages; its states change while one looks. */
export function DeviceSetFrame() {
  const { t } = useTranslation('devices')
  const id = useDeviceId()
  const cache = useCache()
  const reads = useLiveReads(
    [id === '' ? null : `device/${id}/state`],
    only('devices.get', { params: { id } }),
    event => {
      const patch = statePatch(event.patch)
      patchDevice(cache, id, patch)
      return known => ({ ...(known as DeviceView), ...patch })
    },
  )
  const device = useDevice(id, reads)
  const changed = useDeviceChanged()
  const told = (said: 'enableDone' | 'restoreDone') => ({
    touches: [groupsOf('device')],
    done: (reply: DeviceView) => {
      changed(reply)
      notify.success(t(said, { name: reply.name }))
    },
  })
  const enable = useAct('devices.enable', told('enableDone'))
  const restore = useAct('devices.restore', told('restoreDone'))
  const navigate = useNavigate()
  const mayWrite = useMay('devices.update')
  const mayDelete = useMay('devices.remove')
  const mayOffer = useMay('companyTransfers.create')
  // An end user has his device, not what it is made of.
  const mayConnect = useMay('devices.access')
  const [open, setOpen] = useState<'edit' | DeviceQuestion | null>(null)
  if (id === '' || (device.error instanceof ApiError && device.error.status === 404))
    return (
      <EmptyState
        title={t('notFound')}
        description={t('notFoundText')}
        action={
          <Link to={DEVICE_LIST}>
            <Button type="primary">{t('backToList')}</Button>
          </Link>
        }
      />
    )
  if (device.error instanceof ApiError && device.error.status === 403) return <NoPermissionState of="devices.get" />
  if (device.isError && !device.data) return <ErrorState error={device.error} onRetry={() => void device.refetch()} />
  const { data } = device
  if (!data) return <FrameSkeleton />
  const recycled = data.lifecycle === 'recycled'
  const more = [
    ...(mayWrite && !recycled
      ? [
          data.lifecycle === 'disabled'
            ? { key: 'enable', label: t('enable'), onClick: () => void enable.run({ params: { id } }) }
            : { key: 'disable', label: t('disable'), onClick: () => setOpen('disable') },
        ]
      : []),
    ...(mayOffer && !recycled && !(NOT_TRANSFERABLE as readonly string[]).includes(data.linkType)
      ? [
          {
            key: 'company',
            label: t('toCompany'),
            onClick: () => void navigate(OFFER_TO_COMPANY, { state: { target: { ids: [id] }, count: 1 } }),
          },
        ]
      : []),
    ...(mayDelete
      ? recycled
        ? [
            { key: 'restore', label: t('restore'), onClick: () => void restore.run({ params: { id } }) },
            { key: 'purge', label: t('purge'), danger: true, onClick: () => setOpen('purge') },
          ]
        : [{ key: 'recycle', label: t('recycle'), danger: true, onClick: () => setOpen('recycle') }]
      : []),
  ]
  return (
    <DetailFrame
      crumbs={[{ title: t('crumb') }, { title: t('title'), to: DEVICE_LIST }]}
      icon={<ThingIcon svg={data.productIcon} size={48} />}
      name={data.name}
      state={
        <span className={css.states}>
          <LinkTag device={data} />
          {/* A device that is connected or was is active: no second word for it. */}
          {(data.lifecycle !== 'active' || data.link === 'never') && <LifecycleTag lifecycle={data.lifecycle} />}
          {data.alarmLevel > 0 && <AlarmTag level={data.alarmLevel} />}
        </span>
      }
      actions={
        <>
          <PermissionGate of="devices.update">
            {!recycled && <Button onClick={() => setOpen('edit')}>{t('edit')}</Button>}
          </PermissionGate>
          {more.length > 0 && (
            <Dropdown trigger={['click']} menu={{ items: more }}>
              <Button>{t('more')}</Button>
            </Dropdown>
          )}
        </>
      }
      facts={[
        { label: t('deviceNo'), value: <CopyId value={data.deviceNo} /> },
        {
          label: t('product'),
          value: mayConnect ? <Link to={productAddress(data.productId)}>{data.productName}</Link> : data.productName,
        },
        { label: t('lastSeenAt'), value: <TimeText value={data.lastSeenAt} fallback={t('never')} /> },
        { label: t('group'), value: data.groupName ?? '–' },
        ...(data.tags.length > 0
          ? [
              {
                label: t('tags'),
                value: (
                  <span className={css.tags}>
                    {data.tags.map(tag => (
                      <span key={tag} className={css.tag}>
                        {tag}
                      </span>
                    ))}
                  </span>
                ),
              },
            ]
          : []),
        ...data.attributes.map(({ name, value }) => ({ label: name, value: value || '–' })),
      ]}
      tabs={[
        { to: DEVICE_CENTER, label: t('tabCenter') },
        ...(mayConnect ? [{ to: DEVICE_LINK, label: t('tabLink') }] : []),
      ]}
    >
      <Outlet />
      <Suspense>
        {open === 'edit' && <EditDeviceDrawer id={id} onClose={() => setOpen(null)} />}
        {open !== null && open !== 'edit' && (
          <DeviceDialog
            question={open}
            device={data}
            onClose={() => setOpen(null)}
            onDone={() => {
              if (open !== 'disable') void navigate(DEVICE_LIST, { replace: true })
            }}
          />
        )}
      </Suspense>
    </DetailFrame>
  )
}
