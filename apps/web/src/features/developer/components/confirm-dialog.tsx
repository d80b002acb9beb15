import { Alert, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import css from '../developer.module.css'

/** A question before something is done; what goes wrong is shown in it. */
export function ConfirmDialog({
  title,
  okText,
  danger = false,
  children,
  run,
  onClose,
}: {
  title: ReactNode
  okText: string
  danger?: boolean
  children: ReactNode
  /** Does it, and closes the dialog or puts something else in its place. */
  run: () => Promise<unknown>
  onClose: () => void
}) {
  const { t } = useTranslation('developer')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const confirm = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await run()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      width={480}
      title={title}
      okText={okText}
      cancelText={t('cancel')}
      okButtonProps={{ danger, loading: busy }}
      onOk={() => void confirm()}
      onCancel={onClose}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      {children}
    </Modal>
  )
}
