import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import css from './sign-in.module.css'

/** A modal dialog of the public page: the browser's own, which keeps the focus and closes on Escape. */
export function Dialog({
  title,
  lead,
  testId,
  onClose,
  children,
}: {
  title: string
  lead?: ReactNode
  testId: string
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation('identity')
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) {
      element.showModal()
      // The browser would begin at the cross; people come to type.
      element.querySelector<HTMLElement>('input, [role=tab][aria-selected=true]')?.focus()
    }
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby={id}
      data-testid={testId}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
    >
      <header className={css.dialogHead}>
        <h2 id={id}>{title}</h2>
        <button type="button" className={css.dialogClose} onClick={onClose} aria-label={t('close')} title={t('close')}>
          <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
            <path d="m3.5 3.500 9 9m0-9-9 9" strokeWidth="1.4" strokeLinecap="round" />
          </svg>
        </button>
      </header>
      {lead && <p className={css.dialogLead}>{lead}</p>}
      {children}
    </dialog>
  )
}
