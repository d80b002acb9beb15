import { Alert, Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import css from '../ota.module.css'

/**
 * A question that says what will happen. It stays open and busy while it happens, and open with the reason when it
 * could not.
 */
export function Confirm({
  title,
  okText,
  danger = false,
  disabled = false,
  width = 480,
  onOk,
  onClose,
  children,
}: {
  title: string
  okText: string
  danger?: boolean
  disabled?: boolean
  width?: number
  onOk: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation('ota')
  const { attempt, pending, error: failure } = useWork({ notice: false })
  const facts = failure === null ? null : errorFacts(failure)
  return (
    <Modal
      open
      width={width}
      title={title}
      okText={okText}
      cancelText={t('cancel')}
      okButtonProps={{ danger, disabled, loading: pending }}
      onOk={() => void attempt(onOk)}
      onCancel={onClose}
    >
      <div className={css.dialog}>
        {children}
        {facts && (
          <Alert
            type="error"
            showIcon
            role="alert"
            title={facts.message}
            description={<CopyId value={facts.requestId ? `${facts.code} · ${facts.requestId}` : facts.code} />}
          />
        )}
      </div>
    </Modal>
  )
}
