import { useEffect, useRef, useState } from 'react'
import css from './page.module.css'
import words from './words.json' with { type: 'json' }

export interface Asking {
  /** What is asked; empty where only the PIN is. */
  text: string
  pin: boolean
  error: string | null
  answer(pin: string | null): void
  cancel(): void
}

/** Asks before something is done, and for the PIN where the page has one. */
export function AskDialog({ asking, language }: { asking: Asking; language: 'zh' | 'en' }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [pin, setPin] = useState('')
  const t = words[language]
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} className={css.dialog} onCancel={asking.cancel} aria-label={asking.text || t.enterPin}>
      <form
        className={css.card}
        onSubmit={event => {
          event.preventDefault()
          asking.answer(asking.pin ? pin : null)
        }}
      >
        <h1>{asking.text || t.enterPin}</h1>
        {asking.pin && (
          <label>
            {t.pin}
            <input
              className={css.field}
              type="password"
              inputMode="numeric"
              autoComplete="off"
              autoFocus
              value={pin}
              onChange={event => setPin(event.target.value)}
            />
          </label>
        )}
        {asking.error && (
          <p className={css.error} role="alert">
            {asking.error}
          </p>
        )}
        <div className={css.row}>
          <button type="button" className={css.plain} onClick={asking.cancel}>
            {t.cancel}
          </button>
          <button type="submit" className={css.primary} disabled={asking.pin && pin === ''}>
            {t.confirm}
          </button>
        </div>
      </form>
    </dialog>
  )
}
