import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Modal, Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import type { BatchJob } from '../../../ui/list-page/batch-drawer.tsx'
import css from '../devices.module.css'
import { changeDevice, withTags } from './device-batch.ts'

/** Asks where the chosen devices go. */
export function MoveDialog({
  devices,
  onRun,
  onClose,
}: {
  devices: DeviceView[]
  onRun: (job: BatchJob<DeviceView>) => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const id = useId()
  const [groupId, setGroupId] = useState<string | null>(null)
  return (
    <Modal
      open
      width={420}
      title={t('batch.moveTitle', { count: devices.length })}
      okText={t('batch.move')}
      cancelText={t('cancel')}
      onCancel={onClose}
      onOk={() =>
        onRun({
          title: t('batch.moveTitle', { count: devices.length }),
          rows: devices,
          work: device => changeDevice(device, () => ({ groupId })),
        })
      }
    >
      <label className={css.label} htmlFor={id}>
        {t('group')}
      </label>
      <GroupSelect id={id} kind="device" value={groupId} onChange={setGroupId} placeholder={t('noGroup')} />
    </Modal>
  )
}

/** Asks which tags are added to the chosen devices and which are taken away. */
export function TagDialog({
  devices,
  onRun,
  onClose,
}: {
  devices: DeviceView[]
  onRun: (job: BatchJob<DeviceView>) => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const addId = useId()
  const removeId = useId()
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const present = [...new Set(devices.flatMap(device => device.tags))]
  const clean = (tags: string[]) => tags.map(tag => tag.trim().slice(0, 32)).filter(tag => tag !== '')
  return (
    <Modal
      open
      width={420}
      title={t('batch.tagTitle', { count: devices.length })}
      okText={t('batch.tag')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: add.length + remove.length === 0 }}
      onCancel={onClose}
      onOk={() =>
        onRun({
          title: t('batch.tagTitle', { count: devices.length }),
          rows: devices,
          work: device => changeDevice(device, now => ({ tags: withTags(now.tags, add, remove) })),
        })
      }
    >
      <label className={css.label} htmlFor={addId}>
        {t('batch.tagAdd')}
      </label>
      <Select
        id={addId}
        mode="tags"
        style={{ width: '100%' }}
        value={add}
        tokenSeparators={[',', '\uff0c', ' ']}
        options={present.map(tag => ({ value: tag, label: tag }))}
        onChange={(tags: string[]) => setAdd(clean(tags))}
      />
      <label className={css.label} htmlFor={removeId} style={{ marginTop: 16 }}>
        {t('batch.tagRemove')}
      </label>
      <Select
        id={removeId}
        mode="multiple"
        style={{ width: '100%' }}
        value={remove}
        options={present.map(tag => ({ value: tag, label: tag }))}
        onChange={(tags: string[]) => setRemove(tags)}
      />
    </Modal>
  )
}

/** Asks once before many devices are changed at a stroke. */
export function BatchQuestion({
  job,
  text,
  okText,
  danger,
  onRun,
  onClose,
}: {
  job: BatchJob<DeviceView>
  text: string
  okText: string
  danger: boolean
  onRun: (job: BatchJob<DeviceView>) => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  return (
    <Modal
      open
      width={440}
      title={job.title}
      okText={okText}
      cancelText={t('cancel')}
      okButtonProps={{ danger }}
      onCancel={onClose}
      onOk={() => onRun(job)}
    >
      <p>{text}</p>
    </Modal>
  )
}
