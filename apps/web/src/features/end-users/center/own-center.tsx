import type { MeView } from '@thingwright/contracts/identity.contract'
import { Button, Tag } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { centerTabs } from '../../../lib/center-tabs.ts'
import { formatNumber } from '../../../lib/format.ts'
import { may, useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useSession } from '../../../lib/session.ts'
import { BelowHeader, PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../end-users.module.css'
import { BroughtTab } from './brought-tab.tsx'

const OwnDrawer = lazy(async () => ({ default: (await import('./own-drawer.tsx')).OwnDrawer }))

const BrandingDrawer = lazy(async () => ({ default: (await import('./branding-drawer.tsx')).BrandingDrawer }))

/** An end user about himself: profile and rights, contacts for alarms, and what other areas bring. */
export function OwnCenter() {
  const { t } = useTranslation('end-users')
  const me = useSession(s => s.me)
  const [query, setQuery] = useSearchParams()
  if (!me?.endUser) return null
  const brought = centerTabs().filter(tab => may(me.permissions, tab.of))
  const open = brought.find(tab => tab.key === query.get('tab'))
  return (
    <div className={css.page}>
      <PageHeader title={me.displayName || me.username} description={me.company.name} />
      <div className={css.tabs}>
        <TabBar
          label={t('center')}
          items={[
            { key: 'overview', label: t('center_tab.overview') },
            ...brought.map(({ key }) => ({ key, label: t(`center_tab.${key as 'contacts'}`) })),
          ]}
          active={open?.key ?? 'overview'}
          onChange={key => setQuery(key === 'overview' ? {} : { tab: key })}
        />
      </div>
      {open ? (
        <BelowHeader>
          <BroughtTab tab={open} userId={null} />
        </BelowHeader>
      ) : (
        <OwnProfile me={me} />
      )}
    </div>
  )
}

function OwnProfile({ me }: { me: MeView }) {
  const { t } = useTranslation('end-users')
  const [open, setOpen] = useState<'profile' | 'branding' | null>(null)
  const close = () => setOpen(null)
  const mayCount = useMay('devices.counts')
  const counts = useRead('devices.counts', {}, { enabled: mayCount })
  const { rights, deviceLimit } = me.endUser!
  return (
    <Panel
      title={t('profile')}
      actions={
        <>
          {rights.includes('branding') && <Button onClick={() => setOpen('branding')}>{t('brand.name')}</Button>}
          <Button onClick={() => setOpen('profile')}>{t('edit')}</Button>
        </>
      }
    >
      <dl className={css.facts}>
        <dt>{t('name')}</dt>
        <dd>{me.displayName || '–'}</dd>
        <dt>{t('username')}</dt>
        <dd>{me.username}</dd>
        <dt>{t('phone')}</dt>
        <dd>{me.phone ?? '–'}</dd>
        <dt>{t('email')}</dt>
        <dd>{me.email ?? '–'}</dd>
        <dt>{t('rightsLabel')}</dt>
        <dd className={css.rights}>
          {rights.map(right => (
            <Tag key={right}>{t(`rights.${right}` as 'rights.view')}</Tag>
          ))}
        </dd>
        <dt>{t('deviceQuota')}</dt>
        <dd>
          {counts.data ? formatNumber(counts.data.total) : '–'} /{' '}
          {deviceLimit === null ? t('noLimit') : formatNumber(deviceLimit)}
        </dd>
      </dl>
      <p>
        <Link to="/admin/security">{t('openSecurity')}</Link>
      </p>
      <Suspense>
        {open === 'profile' && <OwnDrawer me={me} onClose={close} />}
        {open === 'branding' && <BrandingDrawer onClose={close} />}
      </Suspense>
    </Panel>
  )
}
