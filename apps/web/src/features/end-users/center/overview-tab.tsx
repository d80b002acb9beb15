import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Skeleton, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress, materialsOf, USERS, userAddress } from '../addresses.ts'
import css from '../end-users.module.css'

/** Who the end user is, what he may do, and what is wrong with his devices. */
export function OverviewTab({ user }: { user: EndUserView }) {
  const { t } = useTranslation('end-users')
  const mayMaterials = useMay('media.list')
  return (
    <div className={css.columns}>
      <Panel title={t('profile')}>
        <dl className={css.facts}>
          <dt>{t('username')}</dt>
          <dd>{user.username}</dd>
          <dt>{t('phone')}</dt>
          <dd>{user.phone ?? '–'}</dd>
          <dt>{t('email')}</dt>
          <dd>{user.email ?? '–'}</dd>
          <dt>{t('company')}</dt>
          <dd>{user.company || '–'}</dd>
          <dt>{t('contactName')}</dt>
          <dd>{user.contactName || '–'}</dd>
          <dt>{t('address')}</dt>
          <dd>{user.address || '–'}</dd>
          <dt>{t('group')}</dt>
          <dd>{user.groupName ?? '–'}</dd>
          <dt>{t('parent')}</dt>
          <dd>{user.parent ? <Link to={userAddress(user.parent.id)}>{user.parent.name}</Link> : '–'}</dd>
          <dt>{t('subUsers')}</dt>
          <dd>
            {user.subUsers > 0 ? (
              <Link to={`${USERS}?parentId=${user.id}`}>{formatNumber(user.subUsers)}</Link>
            ) : (
              formatNumber(0)
            )}
          </dd>
          <dt>{t('package')}</dt>
          <dd>{user.package?.name ?? t('ownRights')}</dd>
          <dt>{t('rightsLabel')}</dt>
          <dd className={css.rights}>
            {user.rights.length === 0 ? '–' : user.rights.map(right => <Tag key={right}>{t(`rights.${right}`)}</Tag>)}
          </dd>
          <dt>{t('deviceQuota')}</dt>
          <dd>
            {formatNumber(user.devices.total)} /{' '}
            {user.deviceLimit === null ? t('noLimit') : formatNumber(user.deviceLimit)}
          </dd>
          <dt>{t('mediaQuota')}</dt>
          <dd>
            {mayMaterials ? (
              <Link to={materialsOf(user.id)}>{formatBytes(user.mediaLimit)}</Link>
            ) : (
              formatBytes(user.mediaLimit)
            )}
          </dd>
          <dt>{t('expiresAt')}</dt>
          <dd>{user.expiresAt ? <TimeText value={user.expiresAt} /> : t('noEnd')}</dd>
          <dt>{t('lastSignInAt')}</dt>
          <dd>
            <TimeText value={user.lastSignInAt} />
          </dd>
          <dt>{t('createdAt')}</dt>
          <dd>
            <TimeText value={user.createdAt} />
          </dd>
          <dt>{t('remark')}</dt>
          <dd>{user.remark || '–'}</dd>
        </dl>
      </Panel>
      <Health user={user} />
    </div>
  )
}

function Health({ user }: { user: EndUserView }) {
  const { t } = useTranslation('end-users')
  const health = useRead('endUsers.health', { params: { id: user.id } })
  return (
    <Panel flush title={t('health')} hint={t('healthLead')}>
      {health.isError ? (
        <ErrorState error={health.error} onRetry={() => void health.refetch()} />
      ) : !health.data ? (
        <Skeleton active />
      ) : health.data.offline.length === 0 ? (
        <p className={css.row}>{user.devices.total === 0 ? t('noDevices') : t('allOnline')}</p>
      ) : (
        <ul className={css.rows} data-testid="customer-health">
          {health.data.offline.map(device => (
            <li key={device.deviceId} className={css.row}>
              <span>
                <Link to={deviceAddress(device.deviceId)}>{device.name}</Link>
                <br />
                <span className={css.muted}>{device.finding}</span>
              </span>
              <span className={css.muted}>{device.since ? <TimeText value={device.since} /> : t('neverSeen')}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
