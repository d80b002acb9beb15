import { Button, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './portal.module.css'

/** WeChat users who receive messages of the person's contacts: each can be moved to another contact, or unbound. */
export function WechatMessages() {
  const { t } = useTranslation('portal')
  const mayRead = useMay('ownFollowers.list')
  const mayWrite = useMay('ownFollowers.bind')
  const read = useRead('ownFollowers.list', {}, { enabled: mayRead })
  const followers = read.data?.items ?? []
  const contacts = useRead('contacts.list', { query: { limit: 100 } }, { enabled: mayWrite && followers.length > 0 })
  const touches = ['contacts', 'ownFollowers'] as const
  const bind = useAct('ownFollowers.bind', { touches, done: () => notify.success(t('wechatMoved')) })
  const unbind = useAct('ownFollowers.unbind', { touches, done: () => notify.success(t('wechatUnbound')) })
  if (followers.length === 0) return null
  const options = (contacts.data?.items ?? []).map(each => ({ value: each.id, label: each.name }))
  return (
    <div className={css.panel}>
      <h2>{t('wechatMessages')}</h2>
      {followers.map(({ id, nickname, openid, contact }) => (
        <dl className={css.facts} key={id}>
          <dt dir="auto">{nickname || openid.slice(-8)}</dt>
          <dd>
            <Select
              aria-label={t('wechatContact', { name: nickname || openid.slice(-8) })}
              disabled={!mayWrite}
              loading={bind.pending}
              style={{ minWidth: 160 }}
              value={contact?.id ?? null}
              options={contact && options.length === 0 ? [{ value: contact.id, label: contact.name }] : options}
              onChange={contactId => contactId && void bind.run({ params: { id }, body: { contactId } })}
            />{' '}
            {mayWrite && (
              <Button danger loading={unbind.pending} onClick={() => void unbind.run({ params: { id } })}>
                {t('wechatUnbind')}
              </Button>
            )}
          </dd>
        </dl>
      ))}
    </div>
  )
}
