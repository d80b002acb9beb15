import { Modal } from 'antd'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

/**
 * Asks before unsaved changes are lost: on another page (or another object of the same page), on closing the tab, and
 * wherever the caller asks with `ask`. The returned dialog has to be drawn.
 */
export function useUnsavedGuard(dirty: boolean): { ask: (then: () => void) => void; dialog: ReactNode } {
  const [pending, setPending] = useState<(() => void) | null>(null)
  useEffect(() => {
    if (!dirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [dirty])
  const ask = useCallback(
    (then: () => void) => {
      if (dirty) setPending(() => then)
      else then()
    },
    [dirty],
  )
  return {
    ask,
    dialog: (
      <>
        {pending !== null && (
          <Question
            onStay={() => setPending(null)}
            onLeave={() => {
              setPending(null)
              pending()
            }}
          />
        )}
        {dirty && <NavigationGuard />}
      </>
    ),
  }
}

/** Drawn only while there is something to lose: the router listens to one blocker at a time. */
function NavigationGuard() {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      from.pathname !== to.pathname || shownBy(from.search) !== shownBy(to.search),
  )
  return blocker.state === 'blocked' ? <Question onStay={blocker.reset} onLeave={blocker.proceed} /> : null
}

function Question({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation('schema-form')
  return (
    <Modal
      open
      title={t('unsaved.title')}
      okText={t('unsaved.leave')}
      cancelText={t('unsaved.stay')}
      okButtonProps={{ danger: true }}
      onOk={onLeave}
      onCancel={onStay}
      width={420}
      zIndex={1100}
    >
      {t('unsaved.text')}
    </Modal>
  )
}

/** What of an address says which object is shown, and whether it is being edited. */
function shownBy(search: string): string {
  const params = new URLSearchParams(search)
  return JSON.stringify([params.get('id'), params.get('edit')])
}
