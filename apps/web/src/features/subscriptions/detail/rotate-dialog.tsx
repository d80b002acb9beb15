import type { SubscriptionCredentials, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { Input, Modal } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useSubscriptionChanged } from '../hooks.ts'
import css from '../subscriptions.module.css'
import { CredentialsOnce } from './credentials-once.tsx'

/** A new secret or password: what becomes of the old one, then the new one, once. */
export function RotateDialog({ view, onClose }: { view: SubscriptionView; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const changed = useSubscriptionChanged()
  const id = useId()
  const [own, setOwn] = useState('')
  const [made, setMade] = useState<SubscriptionCredentials | null>(null)
  const webhook = view.target.kind === 'webhook'
  const rotate = useAct('subscriptions.rotateSecret', {
    notice: false,
    done: ({ credentials, ...next }) => {
      changed(next)
      if (credentials) setMade(credentials)
      else onClose()
    },
  })
  const run = () => rotate.run({ params: { id: view.id }, body: own.trim() === '' ? {} : { secret: own.trim() } })
  if (made) return <CredentialsOnce view={view} credentials={made} onClose={onClose} />
  return (
    <Modal
      open
      width={480}
      title={t(webhook ? 'rotateTitle' : 'rotatePasswordTitle')}
      okText={t('rotate')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: rotate.pending, danger: !webhook }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <div className={css.column}>
        {rotate.error !== null && <FormAlert error={rotate.error} />}
        <p className={css.text}>{t(webhook ? 'rotateText' : 'rotatePasswordText')}</p>
        {webhook && (
          <div>
            <label className={css.label} htmlFor={id}>
              {t('ownSecret')}
            </label>
            <Input.Password
              id={id}
              autoComplete="new-password"
              maxLength={128}
              value={own}
              placeholder={t('ownSecretPlaceholder')}
              onChange={event => setOwn(event.target.value)}
            />
            <p className={css.hint}>{t('secretRule')}</p>
          </div>
        )}
      </div>
    </Modal>
  )
}
