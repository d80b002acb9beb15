import { Alert, Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Reply } from '../../../lib/api-client.ts'
import { errorFacts, showError } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useOverview, useSecurityChanged } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'

type Passkey = Reply<'security.overview'>['passkeys'][number]

const here = () => window.isSecureContext && typeof window.PublicKeyCredential === 'function'
/** Browsers have passkeys for names only, never for bare addresses. */
const bareAddress = () => /^[\d.]+$|^\[/.test(window.location.hostname)

export function PasskeysTab() {
  const { t } = useTranslation('security')
  const overview = useOverview()
  const changed = useSecurityChanged()
  const [busy, setBusy] = useState(false)
  const [naming, setNaming] = useState<Passkey | null>(null)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const remove = useAct('security.passkeyRemove', {
    done: () => {
      notify.success(t('passkeys.removed'))
      setRemoving(null)
    },
  })
  const usable = here() && !bareAddress()
  const localUrl = `${window.location.protocol}//localhost:${window.location.port}/admin/security?tab=passkeys`

  const add = async () => {
    setBusy(true)
    try {
      const { challengeId, options } = await call('security.passkeyBegin')
      const { startRegistration } = await import('@simplewebauthn/browser')
      const response = await startRegistration({ optionsJSON: options as never })
      const made = await call('security.passkeyAdd', {
        body: { challengeId, name: t('passkeys.newName'), response: { ...response } },
      })
      notify.success(t('passkeys.added'))
      await changed()
      setNaming(made)
    } catch (error) {
      if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
        notify.info(t('passkeys.cancelled'))
      else if (error instanceof Error && error.name === 'InvalidStateError') notify.info(t('passkeys.known'))
      else showError(error)
    } finally {
      setBusy(false)
    }
  }
  const addButton = (
    <Button type="primary" loading={busy} disabled={!usable} onClick={() => void add()} data-testid="add-passkey">
      {t('passkeys.add')}
    </Button>
  )
  return (
    <Loaded query={overview}>
      {data => (
        <>
          {!usable && (
            <Alert
              type="warning"
              showIcon
              title={t(bareAddress() ? 'passkeys.bareAddress' : 'passkeys.insecure')}
              description={bareAddress() ? <a href={localUrl}>{localUrl}</a> : t('passkeys.insecureText')}
              data-testid="passkeys-hint"
            />
          )}
          <Panel title={t('passkeys.title')} hint={t('passkeys.hint')} actions={addButton} flush>
            {data.passkeys.length === 0 ? (
              <EmptyState title={t('passkeys.empty')} description={t('passkeys.emptyText')} />
            ) : (
              <ul className={css.rows} data-testid="passkeys">
                {data.passkeys.map(passkey => (
                  <Row
                    key={passkey.id}
                    title={passkey.name}
                    text={
                      <>
                        {t(passkey.synced ? 'passkeys.synced' : 'passkeys.device')} · {t('passkeys.made')}{' '}
                        <TimeText value={passkey.createdAt} /> · {t('passkeys.used')}{' '}
                        <TimeText value={passkey.lastUsedAt} fallback={t('never')} />
                      </>
                    }
                    actions={
                      <>
                        <Button onClick={() => setNaming(passkey)}>{t('rename')}</Button>
                        <Button danger onClick={() => setRemoving(passkey)}>
                          {t('remove')}
                        </Button>
                      </>
                    }
                  />
                ))}
              </ul>
            )}
          </Panel>
          {naming && <RenameDialog key={naming.id} passkey={naming} onClose={() => setNaming(null)} />}
          {removing && (
            <Modal
              open
              title={t('passkeys.removeTitle', { name: removing.name })}
              okText={t('remove')}
              cancelText={t('cancel')}
              okButtonProps={{ danger: true }}
              onCancel={() => setRemoving(null)}
              onOk={() => void remove.run({ params: { id: removing.id } })}
            >
              <p>{t('passkeys.removeText')}</p>
            </Modal>
          )}
        </>
      )}
    </Loaded>
  )
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation('security')
  const rename = useAct('security.passkeyRename', { notice: false, done: onClose })
  const [name, setName] = useState(passkey.name)
  const [empty, setEmpty] = useState(false)
  const failure = empty ? t('passkeys.nameEmpty') : rename.error !== null ? errorFacts(rename.error).message : null
  const save = async () => {
    setEmpty(name.trim() === '')
    if (name.trim() !== '') await rename.run({ params: { id: passkey.id }, body: { name: name.trim() } })
  }
  return (
    <Modal
      open
      title={t('passkeys.name')}
      okText={t('save')}
      cancelText={t('cancel')}
      onOk={() => void save()}
      onCancel={onClose}
    >
      <Input
        autoFocus
        aria-label={t('passkeys.name')}
        maxLength={64}
        value={name}
        {...(failure ? { status: 'error' as const } : {})}
        onChange={event => setName(event.target.value)}
        onPressEnter={() => void save()}
      />
      {failure && <p role="alert">{failure}</p>}
    </Modal>
  )
}
