import { Alert, Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
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
  const { attempt, pending, error: failure } = useWork({ notice: false })
  return (
    <Modal
      open
      width={480}
      title={title}
      okText={okText}
      cancelText={t('cancel')}
      okButtonProps={{ danger, loading: pending }}
      onOk={() => void attempt(run)}
      onCancel={onClose}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      {children}
    </Modal>
  )
}
