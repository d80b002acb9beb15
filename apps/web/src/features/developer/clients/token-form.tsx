import { Button, Input, Segmented } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../../lib/session.ts'
import css from '../developer.module.css'
import own from './clients.module.css'
import type { SocketState } from './use-token-socket.ts'

/** Chooses the credential, own session or API key, and connects. The key stays in this form. */
export function TokenForm({
  state,
  ready = true,
  onConnect,
  onClose,
  children,
}: {
  state: SocketState
  /** What else the form asks for is there. */
  ready?: boolean
  onConnect: (token: string) => void
  onClose: () => void
  children?: ReactNode
}) {
  const { t } = useTranslation('developer')
  const [as, setAs] = useState<'session' | 'key'>('session')
  const [key, setKey] = useState('')
  const open = state !== 'closed'
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (!open) onConnect(as === 'key' ? key.trim() : (useSession.getState().token?.access_token ?? ''))
      }}
    >
      {children}
      <Segmented
        aria-label={t('explorer.sendAs')}
        disabled={open}
        value={as}
        options={(['session', 'key'] as const).map(value => ({ value, label: t(`explorer.as.${value}`) }))}
        onChange={setAs}
      />
      {as === 'key' && (
        <Input.Password
          className={own.above ?? ''}
          aria-label={t('explorer.as.key')}
          placeholder="twk_…"
          autoComplete="off"
          disabled={open}
          maxLength={4096}
          value={key}
          onChange={event => setKey(event.target.value)}
        />
      )}
      <div className={css.sendRow}>
        {open ? (
          <Button onClick={onClose}>{t('clients.disconnect')}</Button>
        ) : (
          <Button type="primary" htmlType="submit" disabled={!ready || (as === 'key' && key.trim() === '')}>
            {t('clients.connect')}
          </Button>
        )}
      </div>
    </form>
  )
}
