import { Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useSession } from '../../../lib/session.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import css from '../end-users.module.css'

/** An end user about himself: what he is called, what he may do, where he changes his password. */
export function OwnProfile() {
  const { t } = useTranslation('end-users')
  const me = useSession(s => s.me)
  if (!me?.endUser) return null
  return (
    <div className={css.page}>
      <PageHeader title={me.displayName || me.username} description={me.company.name} />
      <Panel title={t('profile')}>
        <dl className={css.facts}>
          <dt>{t('username')}</dt>
          <dd>{me.username}</dd>
          <dt>{t('phone')}</dt>
          <dd>{me.phone ?? '–'}</dd>
          <dt>{t('email')}</dt>
          <dd>{me.email ?? '–'}</dd>
          <dt>{t('rightsLabel')}</dt>
          <dd className={css.rights}>
            {me.endUser.rights.map(right => (
              <Tag key={right}>{t(`rights.${right}` as 'rights.view')}</Tag>
            ))}
          </dd>
          <dt>{t('deviceQuota')}</dt>
          <dd>{me.endUser.deviceLimit === null ? t('noLimit') : formatNumber(me.endUser.deviceLimit)}</dd>
        </dl>
        <p>
          <Link to="/admin/security">{t('openSecurity')}</Link>
        </p>
      </Panel>
    </div>
  )
}
