import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { useDeviceChanged } from '../hooks.ts'

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
  const { attempt, pending: busy } = useWork()
  const params = { id: device.id }
  const run = () =>
    attempt(async () => {
      if (question === 'disable') changed(await call('devices.disable', { params }))
      else {
        await call('devices.remove', { params })
        changed()
      }
      notify.success(t(`${question}Done`, { name: device.name }))
      onClose()
      onDone?.()
    })
  if (question === 'purge')
    return (
      <ConfirmTyped
        open
        title={t('purgeTitle', { name: device.name })}
        expected={device.deviceNo}
        confirmText={t('purge')}
        onCancel={onClose}
        onConfirm={run}
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
      okButtonProps={{ danger: true, loading: busy }}
      onCancel={onClose}
      onOk={() => void run()}
    >
      <p>{t(`${question}Text`)}</p>
    </Modal>
  )
}
