import { Input, Modal } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWork } from '../lib/server-state/use-work.ts'
import css from './ui.module.css'

/**
 * A question before something that cannot be undone: the name of the thing has to be typed. `onConfirm` may be
 * asynchronous; the dialog stays open and busy until it resolves, and open when it throws.
 */
export function ConfirmTyped({
  open,
  title,
  children,
  expected,
  confirmText,
  onConfirm,
  onCancel,
}: {
  open: boolean
  title: ReactNode
  children?: ReactNode
  expected: string
  confirmText?: string
  onConfirm: () => Promise<unknown> | undefined
  onCancel: () => void
}) {
  const { t } = useTranslation('ui')
  const [typed, setTyped] = useState('')
  const { attempt, pending: busy } = useWork()
  useEffect(() => {
    if (open) setTyped('')
  }, [open])
  const matches = typed.trim() === expected
  const confirm = async () => {
    if (!matches || busy) return
    // What is refused is shown; the dialog stays for another try.
    await attempt(async () => onConfirm())
  }
  return (
    <Modal
      open={open}
      title={title}
      okText={confirmText ?? t('confirm')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, disabled: !matches, loading: busy }}
      onOk={confirm}
      onCancel={onCancel}
      destroyOnHidden
    >
      {children}
      <p>
        {t('confirmTyped.hint')} <span className={css.mono}>{expected}</span>
      </p>
      <Input
        aria-label={t('confirmTyped.hint', { expected })}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onPressEnter={confirm}
        autoFocus
      />
    </Modal>
  )
}
