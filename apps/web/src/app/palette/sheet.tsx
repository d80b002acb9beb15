import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import css from './palette.module.css'

/** Something to read over the page: Escape, `?`, the button and a click beside it close. */
export function Sheet({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('palette')
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    close.current?.focus()
    return () => before?.focus?.({ preventScroll: true })
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === '?') onClose()
    // There is one thing to stand on.
    if (event.key === 'Tab') event.preventDefault()
  }
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here; a click beside the panel closes it
    <div
      className={css.ground}
      data-popup=""
      onKeyDown={onKeyDown}
      onPointerDown={event => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={`${css.panel} ${css.keys}`} role="dialog" aria-modal="true" aria-label={title}>
        <h2>{title}</h2>
        {children}
        <footer>
          <button ref={close} type="button" className={css.close} onClick={onClose}>
            {t('close')}
          </button>
        </footer>
      </div>
    </div>,
    document.body,
  )
}
