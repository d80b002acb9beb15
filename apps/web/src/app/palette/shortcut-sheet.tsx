import { type KeyboardEvent, useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import css from './palette.module.css'

const SHEET = {
  everywhere: [
    ['search', 'Ctrl', 'K'],
    ['assistant', 'Ctrl', '/'],
    ['sheet', '?'],
    ['leave', 'Esc'],
    ['skip', 'Tab'],
  ],
  lists: [
    ['down', 'J'],
    ['up', 'K'],
    ['open', 'Enter'],
    ['select', 'X'],
    ['find', '/'],
  ],
} as const

/** Every key the console knows. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
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
      <div className={`${css.panel} ${css.keys}`} role="dialog" aria-modal="true" aria-label={t('shortcuts')}>
        <h2>{t('shortcuts')}</h2>
        {(['everywhere', 'lists'] as const).map(part => (
          <section key={part}>
            <h3>{t(`keys.${part}`)}</h3>
            <dl>
              {SHEET[part].map(([name, ...keys]) => (
                <div key={name}>
                  <dt>{t(`keys.${name}`)}</dt>
                  <dd>
                    {keys.map(key => (
                      <kbd key={key} className={css.key}>
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
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
