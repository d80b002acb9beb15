import { PlusOutlined } from '@ant-design/icons'
import type { UserPackageView } from '@thingwright/contracts/end-users.contract'
import { Button, Popconfirm, Skeleton, Tag } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { USERS } from '../addresses.ts'
import css from '../end-users.module.css'
import { usePackages } from '../hooks.ts'

const PackageDrawer = lazy(async () => ({ default: (await import('../forms/package-drawer.tsx')).PackageDrawer }))

/** Packages of rights: what end users of each may do. */
export function PackagesTab() {
  const { t } = useTranslation('end-users')
  const { packages, query } = usePackages()
  const [open, setOpen] = useState<UserPackageView | 'new' | null>(null)
  const { run: remove } = useAct('userPackages.remove', {
    done: () => notify.success(t('packageRemoved')),
  })
  const create = (
    <PermissionGate of="userPackages.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
        {t('createPackage')}
      </Button>
    </PermissionGate>
  )
  return (
    <Panel flush title={t('tab.packages')} hint={t('packagesLead')} actions={create}>
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton active />
      ) : packages.length === 0 ? (
        <EmptyState title={t('noPackages')} description={t('noPackagesText')} action={create} />
      ) : (
        <ul className={css.rows}>
          {packages.map(each => (
            <li key={each.id} className={css.row}>
              <span>
                <b>{each.name}</b> <span className={css.muted}>{each.description}</span>
                <span className={css.rights}>
                  {each.rights.map(right => (
                    <Tag key={right}>{t(`rights.${right}`)}</Tag>
                  ))}
                </span>
              </span>
              <Link to={`${USERS}?packageId=${each.id}`}>{t('usersCount', { count: each.users })}</Link>
              <PermissionGate of="userPackages.update">
                <Button onClick={() => setOpen(each)}>{t('edit')}</Button>
                <Popconfirm
                  title={t('removePackageAsk', { name: each.name })}
                  okText={t('remove')}
                  cancelText={t('cancel')}
                  okButtonProps={{ danger: true }}
                  onConfirm={() => void remove({ params: { id: each.id } })}
                >
                  <Button danger disabled={each.users > 0}>
                    {t('remove')}
                  </Button>
                </Popconfirm>
              </PermissionGate>
            </li>
          ))}
        </ul>
      )}
      <Suspense>
        {open !== null && <PackageDrawer given={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
      </Suspense>
    </Panel>
  )
}
