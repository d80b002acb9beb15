import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { DEVICE_LISTS, useDeviceChanged } from '../hooks.ts'

export type DeviceQuestion = 'disable' | 'recycle' | 'purge'

/** Questions before a device is disabled, put into the recycle bin, or deleted for good (its number is typed). */
export function DeviceDialog({
  question,
  device,
  onClose,
  onDone,
}: {
  question: DeviceQuestion
  device: DeviceView
  onClose: () => void
  onDone?: () => void
}) {
  const { t } = useTranslation('devices')
  const changed = useDeviceChanged()
  const told = () => {
    notify.success(t(`${question}Done`, { name: device.name }))
    onClose()
    onDone?.()
  }
  const disable = useAct('devices.disable', {
    touches: [groupsOf('device')],
    done: reply => {
      changed(reply)
      told()
    },
  })
  // What is gone is not asked for again.
  const remove = useAct('devices.remove', { own: false, touches: DEVICE_LISTS, done: told })
  const { run, send, pending } = question === 'disable' ? disable : remove
  const input = { params: { id: device.id } }
  if (question === 'purge')
    return (
      <ConfirmTyped
        open
        title={t('purgeTitle', { name: device.name })}
        expected={device.deviceNo}
        confirmText={t('purge')}
        onCancel={onClose}
        onConfirm={() => send(input)}
      >
        <p>{t('purgeText')}</p>
      </ConfirmTyped>
    )
  return (
    <Modal
      open
      width={440}
      title={t(`${question}Title`, { name: device.name })}
      okText={t(question)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: pending }}
      onCancel={onClose}
      onOk={() => void run(input)}
    >
      <p>{t(`${question}Text`)}</p>
    </Modal>
  )
}
