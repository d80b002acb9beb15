import type { DeviceChange } from '@thingwright/contracts/device-batches.contract'
import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** What the forms of a batch have in common. */
export interface FormProps {
  title: string
  okText: string
  busy: boolean
  onRun: (change: DeviceChange) => void
  onClose: () => void
}

/** A question in a dialog, with what it takes to answer it. */
export function Question({
  title,
  okText,
  busy,
  danger = false,
  disabled = false,
  children,
  onOk,
  onClose,
}: Omit<FormProps, 'onRun'> & { danger?: boolean; disabled?: boolean; children: ReactNode; onOk: () => void }) {
  const { t } = useTranslation('bulk')
  return (
    <Modal
      open
      width={480}
      title={title}
      okText={okText}
      cancelText={t('cancel')}
      okButtonProps={{ danger, disabled, loading: busy }}
      onCancel={onClose}
      onOk={onOk}
    >
      {children}
    </Modal>
  )
}
