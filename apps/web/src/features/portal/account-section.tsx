import { Button, Input } from 'antd'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { changeLocale, locale } from '../../lib/i18n.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useSession } from '../../lib/session.ts'
import { signOut } from '../../lib/sign-out.ts'
import { PushButton } from '../../ui/push/push-button.tsx'
import css from './portal.module.css'
import { WechatMessages } from './wechat-messages.tsx'

/** Who is signed in, his language, his password, and the way out. */
export function AccountSection() {
  const { t } = useTranslation('portal')
  const me = useSession(s => s.me)
  const other = locale() === 'en' ? 'zh' : 'en'
  return (
    <section aria-labelledby="portal-account">
      <div className={css.head}>
        <h1 id="portal-account">{t('account')}</h1>
      </div>
      <div className={css.panel}>
        <dl className={css.facts}>
          <dt>{t('username')}</dt>
          <dd>{me?.username}</dd>
          <dt>{t('name')}</dt>
          <dd dir="auto">{me?.displayName || '–'}</dd>
          <dt>{t('phone')}</dt>
          <dd>{me?.phone ?? '–'}</dd>
          <dt>{t('email')}</dt>
          <dd>{me?.email ?? '–'}</dd>
          <dt>{t('language')}</dt>
          <dd>
            <Button lang={other} onClick={() => void changeLocale(other)}>
              {t('otherLanguage')}
            </Button>
          </dd>
        </dl>
        <div className={css.buttons}>
          <PushButton />
          <Button onClick={() => void signOut()}>{t('signOut')}</Button>
        </div>
      </div>
      <WechatMessages />
      <PasswordPanel />
    </section>
  )
}

function PasswordPanel() {
  const { t } = useTranslation('portal')
  const [oldPassword, setOld] = useState('')
  const [newPassword, setNew] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const change = useAct('security.changePassword')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setFailure(null)
    try {
      await change.send({ body: { oldPassword, newPassword } })
      setOld('')
      setNew('')
      notify.success(t('passwordChanged'))
    } catch (error) {
      setFailure(errorFacts(error).message)
    }
  }
  return (
    <form className={css.panel} onSubmit={event => void submit(event)}>
      <h2>{t('changePassword')}</h2>
      <label htmlFor="old-password">{t('oldPassword')}</label>
      <Input.Password
        id="old-password"
        autoComplete="current-password"
        value={oldPassword}
        onChange={event => setOld(event.target.value)}
      />
      <label htmlFor="new-password">{t('newPassword')}</label>
      <Input.Password
        id="new-password"
        autoComplete="new-password"
        value={newPassword}
        onChange={event => setNew(event.target.value)}
      />
      {failure && <p role="alert">{failure}</p>}
      <div className={css.buttons}>
        <Button
          htmlType="submit"
          type="primary"
          loading={change.pending}
          disabled={oldPassword === '' || newPassword === ''}
        >
          {t('changePassword')}
        </Button>
      </div>
    </form>
  )
}
