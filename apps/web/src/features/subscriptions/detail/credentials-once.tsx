import type { SubscriptionCredentials, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { useTranslation } from 'react-i18next'
import { ShownOnce, type ShownSecret } from '../../../ui/device-access/shown-once.tsx'
import css from '../subscriptions.module.css'

/** What the receiver signs in or checks with; afterwards nobody can see it again. */
export function CredentialsOnce({
  view,
  credentials,
  onClose,
}: {
  view: Pick<SubscriptionView, 'name' | 'target'>
  credentials: SubscriptionCredentials
  onClose: () => void
}) {
  const { t } = useTranslation('subscriptions')
  const secrets: ShownSecret[] = [
    ...(credentials.secret ? [{ label: t('secret'), value: credentials.secret }] : []),
    ...(credentials.username ? [{ label: t('username'), value: credentials.username }] : []),
    ...(credentials.password ? [{ label: t('password'), value: credentials.password }] : []),
  ]
  return (
    <ShownOnce title={t('credentialsTitle', { name: view.name })} secrets={secrets} onClose={onClose}>
      <p className={css.text}>{t(view.target.kind === 'mqtt' ? 'credentialsMqtt' : 'credentialsWebhook')}</p>
    </ShownOnce>
  )
}
