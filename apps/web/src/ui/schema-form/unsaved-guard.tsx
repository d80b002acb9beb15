import { Modal } from 'antd'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

/**
 * Asks before unsaved changes are lost: on another page (or another object of the same page), on closing the tab, and
 * wherever the caller asks with `ask`. The returned dialog has to be drawn.
 */
export function useUnsavedGuard(dirty: boolean): { ask: (then: () => void) => void; dialog: ReactNode } {
  const { t } = useTranslation('schema-form')
  const [pending, setPending] = useState<(() => void) | null>(null)
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to }) => {
    if (!dirty) return false
    return from.pathname !== to.pathname || idOf(from.search) !== idOf(to.search)
  })
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
  const stay = () => {
    setPending(null)
    blocker.reset?.()
  }
  const leave = () => {
    const then = pending
    setPending(null)
    if (then) then()
    else blocker.proceed?.()
  }
  return {
    ask,
    dialog: (
      <Modal
        open={pending !== null || blocker.state === 'blocked'}
        title={t('unsaved.title')}
        okText={t('unsaved.leave')}
        cancelText={t('unsaved.stay')}
        okButtonProps={{ danger: true }}
        onOk={leave}
        onCancel={stay}
        width={420}
        zIndex={1100}
      >
        {t('unsaved.text')}
      </Modal>
    ),
  }
}

const idOf = (search: string) => new URLSearchParams(search).get('id')
