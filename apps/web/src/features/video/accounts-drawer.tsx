import { PlusOutlined } from '@ant-design/icons'
import type { VideoAccountView } from '@thingwright/contracts/video.contract'
import { Button, Drawer, Modal, Skeleton, Tag } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { Facts } from '../../ui/panel.tsx'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ACCOUNT_KIND, faultText, useAccounts, VIDEO_DATA } from './hooks.ts'
import css from './video.module.css'

const AccountForm = lazy(async () => ({ default: (await import('./account-form.tsx')).AccountForm }))

/** The EZVIZ accounts of the company: tested, synced, changed. */
export function AccountsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('video')
  const { query, items } = useAccounts()
  const [open, setOpen] = useState<VideoAccountView | 'new' | null>(null)
  const add = (
    <PermissionGate of="videoAccounts.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
        {t('account.add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <Drawer
        open
        size={640}
        title={t('account.title')}
        onClose={onClose}
        footer={<div className={css.foot}>{add}</div>}
      >
        <div className={css.stack}>
          <p className={css.quiet}>{t('account.lead')}</p>
          {query.isError && !query.data ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query.isPending ? (
            <Skeleton active />
          ) : items.length === 0 ? (
            <EmptyState title={t('account.emptyTitle')} description={t('account.emptyText')} />
          ) : (
            items.map(one => <Account key={one.id} account={one} onEdit={() => setOpen(one)} />)
          )}
        </div>
      </Drawer>
      <Suspense>
        {open !== null && <AccountForm account={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

function Account({ account, onEdit }: { account: VideoAccountView; onEdit: () => void }) {
  const { t } = useTranslation('video')
  const mayConfigure = useMay('videoAccounts.update')
  const maySync = useMay('videoAccounts.sync')
  const [removing, setRemoving] = useState(false)
  const test = useAct('videoAccounts.test', {
    touches: VIDEO_DATA,
    done: ({ state, fault }) => {
      if (state === 'ok') notify.success(t('account.testOk'))
      else notify.error(t('account.testFailed', { text: fault ? faultText(fault) : '' }))
    },
  })
  const sync = useAct('videoAccounts.sync', {
    touches: VIDEO_DATA,
    always: true,
    done: counts => notify.success(t('account.synced', { ...counts })),
  })
  const remove = useAct('videoAccounts.remove', { touches: VIDEO_DATA, done: () => notify.success(t('removed')) })
  const params = { id: account.id }
  const off = account.state === 'disabled'
  return (
    <section className={css.account} aria-label={account.name}>
      <header className={css.row}>
        <strong dir="auto">{account.name}</strong>
        {account.simulated && <Tag>{t('simulated')}</Tag>}
        <StatusTag kind={ACCOUNT_KIND[account.state]}>{t(`account.states.${account.state}`)}</StatusTag>
      </header>
      {account.fault && <p className={css.fault}>{faultText(account.fault)}</p>}
      <Facts
        items={[
          { label: 'AppKey', value: <code className={css.mono}>{account.appKey}</code>, wide: true },
          { label: t('account.baseUrl'), value: <code className={css.mono}>{account.baseUrl}</code>, wide: true },
          { label: t('account.channels'), value: account.channels },
          {
            label: t('account.tokenUntil'),
            value: <TimeText value={account.tokenExpiresAt} mode="absolute" fallback={t('account.noToken')} />,
          },
          { label: t('account.testedAt'), value: <TimeText value={account.testedAt} fallback={t('never')} /> },
          { label: t('syncedAt'), value: <TimeText value={account.syncedAt} fallback={t('never')} /> },
        ]}
      />
      <div className={css.row}>
        {maySync && (
          <Button loading={sync.pending} disabled={off} onClick={() => void sync.run({ params })}>
            {t('account.sync')}
          </Button>
        )}
        {mayConfigure && (
          <>
            <Button loading={test.pending} disabled={off} onClick={() => void test.run({ params })}>
              {t('account.test')}
            </Button>
            <Button onClick={onEdit}>{t('edit')}</Button>
            <Button danger onClick={() => setRemoving(true)}>
              {t('remove')}
            </Button>
          </>
        )}
      </div>
      <Modal
        open={removing}
        width={420}
        title={t('account.removeTitle', { name: account.name })}
        okText={t('remove')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: remove.pending }}
        onOk={() => void remove.run({ params }).then(() => setRemoving(false))}
        onCancel={() => setRemoving(false)}
      >
        <p>{t('account.removeText', { channels: account.channels })}</p>
      </Modal>
    </section>
  )
}
