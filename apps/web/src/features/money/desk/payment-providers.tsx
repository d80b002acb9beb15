import type { PaymentProviderView } from '@thingwright/contracts/payment-providers.contract'
import { Alert, Button, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../consumption-list.tsx'
import css from '../money.module.css'
import { ProviderDrawer } from './provider-drawer.tsx'

/** The providers of payments: keys, whether they are used, what their test said. */
export function PaymentProviders({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const allowed = useMay('paymentProviders.list')
  const read = useRead('paymentProviders.list', {}, { enabled: allowed })
  const [editing, setEditing] = useState<PaymentProviderView | null>(null)
  if (!allowed) return <NoPermissionState of="paymentProviders.list" />
  return (
    <>
      <PageHeader title={t('desk.title')} description={t('channel.lead')} />
      <TabBar label={t('desk.title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
      {read.isError ? (
        <Panel>
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        </Panel>
      ) : !read.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 8 }} />
        </Panel>
      ) : (
        <Stack>
          {read.data.items.map(item => (
            <One key={item.kind} item={item} onEdit={() => setEditing(item)} />
          ))}
        </Stack>
      )}
      {editing && <ProviderDrawer provider={editing} onClose={() => setEditing(null)} />}
    </>
  )
}

function One({ item, onEdit }: { item: PaymentProviderView; onEdit: () => void }) {
  const { t } = useTranslation('money')
  const [removing, setRemoving] = useState(false)
  const mayWrite = useMay('paymentProviders.set')
  const set = useAct('paymentProviders.set')
  const test = useAct('paymentProviders.test')
  const remove = useAct('paymentProviders.remove', {
    always: true,
    done: () => {
      notify.success(t('channel.removed'))
      setRemoving(false)
    },
  })
  const params = { kind: item.kind }
  const isWechat = item.kind === 'wechat'
  return (
    <Panel
      title={
        <span className={css.line}>
          {t(`provider.${item.kind}`)}
          <StatusTag kind={item.enabled ? 'success' : 'neutral'}>
            {t(item.enabled ? 'channel.on' : item.hasKeys ? 'channel.off' : 'channel.none')}
          </StatusTag>
        </span>
      }
      actions={
        mayWrite && (
          <span className={css.line} data-testid={`provider-${item.kind}`}>
            {item.hasKeys && (
              <>
                <Button loading={test.pending} onClick={() => void test.run({ params })}>
                  {t('channel.test')}
                </Button>
                <Button
                  loading={set.pending}
                  onClick={() => void set.run({ params, body: { version: item.version, enabled: !item.enabled } })}
                >
                  {t(item.enabled ? 'channel.disable' : 'channel.enable')}
                </Button>
                <Button danger onClick={() => setRemoving(true)}>
                  {t('channel.remove')}
                </Button>
              </>
            )}
            <Button type="primary" onClick={onEdit}>
              {t(item.hasKeys ? 'channel.edit' : 'channel.setUp')}
            </Button>
          </span>
        )
      }
    >
      <Facts
        items={[
          ...(item.hasKeys
            ? [
                { label: t('channel.appId'), value: item.appId },
                ...(isWechat
                  ? [
                      { label: t('channel.merchantId'), value: item.merchantId },
                      { label: t('channel.serial'), value: item.serial },
                      { label: t('channel.platformKeyId'), value: item.platformKeyId },
                      { label: t('channel.apiKey'), value: item.apiKey ?? '–' },
                    ]
                  : []),
                {
                  label: t(isWechat ? 'channel.privateKey' : 'channel.privateKeyAlipay'),
                  value: item.privateKey ?? '–',
                },
                {
                  label: t(isWechat ? 'channel.platformKey' : 'channel.platformKeyAlipay'),
                  value: item.platformKey ?? '–',
                },
                { label: t('channel.baseUrl'), value: item.baseUrl, wide: true },
                { label: t('channel.tested'), value: <Tested test={item.test} />, wide: true },
              ]
            : []),
          { label: t('channel.callback'), value: <CopyId value={item.callbackUrl} />, wide: true },
        ]}
      />
      {item.enabled && !item.callbackUrl.startsWith('https://') && (
        <Alert type="warning" showIcon title={t('channel.notHttps')} />
      )}
      {removing && (
        <Modal
          open
          width={420}
          title={t('channel.remove')}
          okText={t('channel.remove')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true, loading: remove.pending }}
          onOk={() => void remove.run({ params })}
          onCancel={() => setRemoving(false)}
        >
          <p>{t('channel.removeText')}</p>
        </Modal>
      )}
    </Panel>
  )
}

function Tested({ test }: { test: PaymentProviderView['test'] }) {
  const { t } = useTranslation('money')
  if (!test) return t('channel.notTested')
  return (
    <>
      <StatusTag kind={test.state === 'ok' ? 'success' : 'error'}>
        {test.state === 'ok' ? t('channel.testOk') : t('channel.testFailed', { said: test.said })}
      </StatusTag>{' '}
      <TimeText value={test.at} />
    </>
  )
}
