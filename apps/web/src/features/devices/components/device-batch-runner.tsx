import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { BatchDrawer, type BatchJob } from '../../../ui/list-page/batch-drawer.tsx'
import { BatchQuestion, MoveDialog, TagDialog } from './batch-forms.tsx'

export type BatchKind = 'enable' | 'disable' | 'recycle' | 'move' | 'tag' | 'restore' | 'purge'

const WORK: Record<Exclude<BatchKind, 'move' | 'tag'>, (device: DeviceView) => Promise<unknown>> = {
  enable: device => call('devices.enable', { params: { id: device.id } }),
  disable: device => call('devices.disable', { params: { id: device.id } }),
  recycle: device => call('devices.remove', { params: { id: device.id } }),
  purge: device => call('devices.remove', { params: { id: device.id } }),
  restore: device => call('devices.restore', { params: { id: device.id } }),
}

const keyOf = (device: DeviceView) => device.id
const nameOf = (device: DeviceView) => (
  <span title={`${device.name} · ${device.deviceNo}`}>
    {device.name} · {device.deviceNo}
  </span>
)

/** A batch from its question to its end. */
export function DeviceBatch({
  kind,
  devices,
  onChanged,
  onClose,
}: {
  kind: BatchKind
  devices: DeviceView[]
  onChanged: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const [job, setJob] = useState<BatchJob<DeviceView> | null>(null)
  if (job) return <BatchDrawer job={job} rowKey={keyOf} name={nameOf} onChanged={onChanged} onClose={onClose} />
  if (kind === 'move') return <MoveDialog devices={devices} onRun={setJob} onClose={onClose} />
  if (kind === 'tag') return <TagDialog devices={devices} onRun={setJob} onClose={onClose} />
  const asked: BatchJob<DeviceView> = {
    title: t(`batch.${kind}Title`, { count: devices.length }),
    rows: devices,
    work: WORK[kind],
  }
  if (kind === 'purge')
    return (
      <ConfirmTyped
        open
        title={asked.title}
        expected={String(devices.length)}
        confirmText={t('batch.purge')}
        onCancel={onClose}
        onConfirm={async () => setJob(asked)}
      >
        <p>{t('batch.purgeText')}</p>
      </ConfirmTyped>
    )
  return (
    <BatchQuestion
      job={asked}
      text={t(`batch.${kind}Text`)}
      okText={t(`batch.${kind}`)}
      danger={kind === 'disable' || kind === 'recycle'}
      onRun={setJob}
      onClose={onClose}
    />
  )
}
